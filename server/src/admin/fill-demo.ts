import { importRows } from "../catalog/files/import-catalog.ts";
import { setListing } from "../catalog/prices/set-listing.ts";
import { type PriceTarget, setPrice } from "../catalog/prices/set-price.ts";
import { hasProducts } from "../catalog/product-queries.ts";
import type { Db } from "../db/database.ts";
import { createKey } from "../keys/create-key.ts";
import type { Json } from "../lib/strict-json.ts";
import { createReseller, STANDARD_PRICE_LIST } from "../resellers/create-reseller.ts";
import { listResellerRows } from "../resellers/queries.ts";
import { moveFunds } from "../wallet/move-funds.ts";
import { demoPrices, demoProducts, demoResellerPrices, demoUnlisted } from "./demo-catalog.ts";
import { type DemoStockDeps, fillDemoStock } from "./fill-demo-stock.ts";

export type DemoReseller = { id: string; name: string; currency: string; liveKey: string; testKey: string };
export type FilledDemo = { products: number; codes: number; resellers: [DemoReseller, DemoReseller] };

/** The address of the first reseller, and of the person who signs in to its dashboard. */
export const DEMO_EMAIL = "owner@northwind.example";

/** Who signs in to the console of the demo. */
export const DEMO_STAFF_EMAIL = "admin@scrip.example";

/** The initial balance of the demo's live wallets. Test wallets are funded anyway. */
const DEMO_FUNDS = "5000.00";

/**
 * Creates two resellers with different currencies, prices and listings, about forty products, and stock of most gift
 * cards.
 */
export async function fillDemo(deps: DemoStockDeps): Promise<FilledDemo> {
  const { db, clock } = deps;
  await importDemoProducts(db);
  const northwind = await addReseller(deps, {
    name: "Northwind Games",
    currency: "USD",
    email: DEMO_EMAIL,
  });
  const kestrel = await addReseller(deps, {
    name: "Kestrel Digital",
    currency: "EUR",
    email: "owner@kestrel.example",
  });
  const resellers = { northwind, kestrel };
  for (const { productId, currency, amount, strike } of demoPrices) {
    const target: PriceTarget = { kind: "list", priceList: STANDARD_PRICE_LIST, currency };
    await setPrice(db, clock, { productId, target, amount, strike });
  }
  for (const { reseller, productId, amount, strike } of demoResellerPrices) {
    const { id: resellerId, currency } = resellers[reseller];
    await setPrice(db, clock, {
      productId,
      target: { kind: "reseller", resellerId, currency },
      amount,
      strike,
    });
  }
  for (const { reseller, productId } of demoUnlisted) {
    await setListing(db, { resellerId: resellers[reseller].id, productId, listed: false });
  }
  const codes = await fillDemoStock(deps);
  return { products: demoProducts.length, codes, resellers: [northwind, kestrel] };
}

/** Whether the database has no data yet. */
export const isEmpty = async (db: Db): Promise<boolean> =>
  (await listResellerRows(db)).length === 0 && !(await hasProducts(db));

async function importDemoProducts(db: Db): Promise<void> {
  const faults: string[] = [];
  const result = await importRows(db, demoRows(), {
    onFault: ({ id, reason }) => void faults.push(`${id}: ${reason}`),
  });
  if (!result.ok) throw new Error(`the demo catalog is faulty: ${faults.join("; ")}`);
}

async function* demoRows() {
  for (const [index, product] of demoProducts.entries())
    yield { line: index + 1, value: product as unknown as Json };
}

async function addReseller(
  deps: DemoStockDeps,
  input: { name: string; currency: string; email: string },
): Promise<DemoReseller> {
  const { id, name, currency } = await createReseller(deps.db, deps.clock, input);
  const funds = { direction: "credit", amount: DEMO_FUNDS, note: "Demo funds" } as const;
  await moveFunds(deps.db, deps.clock, { resellerId: id, environment: "live" }, funds);
  const addKey = (environment: "live" | "test") =>
    createKey(
      { ...deps, pepper: deps.secrets.pepper },
      { resellerId: id, environment, name: "demo", scopes: undefined, allowedIps: [], expiresAt: undefined },
    );
  return { id, name, currency, liveKey: (await addKey("live")).key, testKey: (await addKey("test")).key };
}
