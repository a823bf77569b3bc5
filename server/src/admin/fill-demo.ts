import { importRows } from "../catalog/files/import-catalog.ts";
import { setListing } from "../catalog/prices/set-listing.ts";
import { type PriceTarget, setPrice } from "../catalog/prices/set-price.ts";
import { hasProducts } from "../catalog/product-queries.ts";
import type { Db } from "../db/database.ts";
import { createKey } from "../keys/create-key.ts";
import type { Json } from "../lib/strict-json.ts";
import { createReseller, STANDARD_PRICE_LIST } from "../resellers/create-reseller.ts";
import { listResellerRows } from "../resellers/queries.ts";
import type { Keyring } from "../vault/keyring.ts";
import { moveFunds } from "../wallet/move-funds.ts";
import { demoPrices, demoProducts, demoResellerPrices, demoUnlisted } from "./demo-catalog.ts";
import { demoPast } from "./demo-past.ts";
import { type DemoStockDeps, fillDemoStock } from "./fill-demo-stock.ts";
import { fillHistory, historyStart, stockForHistory } from "./history/fill-history.ts";
import { clockAt } from "./history/write-orders.ts";

export type DemoReseller = { id: string; name: string; currency: string; liveKey: string; testKey: string };
export type FilledDemo = {
  products: number;
  codes: number;
  /** Orders of the past three weeks; 0 without a history. */
  orders: number;
  resellers: [DemoReseller, DemoReseller];
};

/** Three weeks of orders and what follows from them. The same seed gives the same history on the same day. */
export type HistoryOptions = { seed: number; keyring: Keyring; baseUrl: string };

/** The address of the first reseller, and of the person who signs in to its dashboard. */
export const DEMO_EMAIL = "owner@northwind.example";

/** Who signs in to the console of the demo. */
export const DEMO_STAFF_EMAIL = "admin@scrip.example";

/** Makes the history of every demo the same. */
export const DEMO_SEED = 21;

/** The initial balance of the demo's live wallets. Test wallets are funded anyway. */
const DEMO_FUNDS = "5000.00";

/**
 * Creates two resellers with different currencies, prices and listings, about forty products, and stock of most gift
 * cards. With a history, the resellers joined three weeks ago and have been selling since.
 */
export async function fillDemo(present: DemoStockDeps, history?: HistoryOptions): Promise<FilledDemo> {
  const now = present.clock.now();
  const deps = history ? { ...present, clock: clockAt(historyStart(now)) } : present;
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
  const past = demoPast({ northwind: northwind.id, kestrel: kestrel.id });
  const habits = past.map((one) => one.habits);
  const codes = await fillDemoStock(deps, history && stockForHistory(history.seed, now, habits));
  const filled: FilledDemo = {
    products: demoProducts.length,
    codes,
    orders: 0,
    resellers: [northwind, kestrel],
  };
  if (!history) return filled;
  const pastDeps = { ...present, pepper: present.secrets.pepper, keyring: history.keyring };
  return { ...filled, ...(await fillHistory(pastDeps, past, history)) };
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
