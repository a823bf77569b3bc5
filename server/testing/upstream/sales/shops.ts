import assert from "node:assert/strict";
import sql from "sql-template-tag";
import { isDatabaseUnavailable } from "../../../src/db/database-errors.ts";
import { refreshSupply } from "../../../src/suppliers/refresh-supply.ts";
import { sealSupplierConfig } from "../../../src/suppliers/supplier-config.ts";
import type { TestApp } from "../../app/test-app.ts";
import { addListPrice, addProducts } from "../../builders/builders.ts";
import { type Buyer, postOrder } from "../../builders/buyers.ts";
import { addSupplierRow } from "../../builders/supply-builders.ts";
import { sizeFor } from "../../full-size.ts";
import { createRandom, SEED } from "../../seed.ts";
import type { FakeUpstreamOptions } from "../fake-upstream.ts";
import { type FakeKind, type SupplierFake, startSupplierFake } from "../supplier-fakes.ts";
import { SUPPLIER_FAULTS } from "../supplier-faults.ts";

/** A fake supplier that we buy from. */
export type Shop = SupplierFake & { supplierId: string };

/** The shops, and a product for each of them that is bought there first. */
export type Sale = { productIds: readonly string[]; shops: readonly Shop[]; isTopUp: boolean };

export const PRICE_MINOR = 500;
const PLACED_AT_ONCE = 50;
/** What lands late lands sooner; the rest is for a machine that stalls meanwhile. */
const LAG_MS = sizeFor("chaos", { share: 1_200, full: 4_000 });

export type SaleOptions = Omit<FakeUpstreamOptions, "dialect" | "seed" | "table"> & {
  /** Tells the sales of one test apart. */
  name?: string;
  /** What the operator takes for the lag of their books. */
  resendAfterMs?: number;
  isSignInBroken?: () => boolean;
  /** DT One sells vouchers, although nobody else sells the product. */
  areVouchers?: boolean;
};

/**
 * One supplier of each kind that misbehaves in every way, or as `faults` say. Every product has a route to each of them, in another order. Prices up to
 * a dollar are accepted. DT One alone sells top-ups; where several sell the same product, it sells vouchers.
 */
export async function openSale(
  scrip: Pick<TestApp, "db" | "keyring">,
  kinds: readonly FakeKind[],
  { name = "all", areVouchers = false, resendAfterMs = LAG_MS, ...options }: SaleOptions,
): Promise<Sale> {
  const productIds = kinds.map((kind) => `${kind}-of-${kinds.length}-${name}`);
  const isTopUp = !areVouchers && kinds.every((kind) => kind === "dtone");
  const playerId = { key: "playerId", type: "text", required: true, regex: "", options: [] };
  const inputFields = isTopUp ? [playerId] : [];
  await addProducts(
    scrip.db,
    productIds.map((id) => ({ id, inputFields })),
  );
  for (const productId of productIds)
    await addListPrice(scrip.db, { productId, amountMinor: BigInt(PRICE_MINOR) });
  const shops: Shop[] = [];
  for (const [number, kind] of kinds.entries()) {
    const behaviour = { seed: SEED + number, table: SUPPLIER_FAULTS, noise: 0.03, tokenMs: 2_000 };
    const shop = await startSupplierFake(kind, { ...behaviour, ...options });
    const supplierId = await addSupplierRow(scrip.db, { kind });
    const sealed = sealSupplierConfig(scrip.keyring, supplierId, shop.config());
    await scrip.db.rows(sql`
      update suppliers set rate_per_second = 10000, sealed_config = ${sealed}, resend_after_ms = ${resendAfterMs}
      where id = ${supplierId}`);
    const fieldMap = isTopUp ? JSON.stringify({ playerId: "account_number" }) : null;
    for (const [first, productId] of productIds.entries())
      await scrip.db.rows(sql`
        insert into supplier_routes (product_id, supplier_id, priority, cost_minor, max_cost_minor, cost_currency, sku,
                                     buy_value, field_map)
        values (${productId}, ${supplierId}, ${(number - first + kinds.length) % kinds.length}, 80, 100, 'USD',
                ${shop.route.sku}, ${shop.route.value}, ${fieldMap}::jsonb)`);
    shops.push({ ...shop, supplierId });
  }
  await refreshSupply(scrip.db, productIds);
  return { productIds, shops, isTopUp };
}

/** Places orders of one or two units. */
export async function placeOrders(
  scrip: TestApp,
  buyer: Buyer,
  { productIds, isTopUp }: Sale,
  count: number,
  from = 0,
): Promise<void> {
  const random = createRandom(SEED);
  const place = async (index: number) => {
    const quantity = random.chance(0.8) ? 1 : 2;
    const fields = isTopUp ? { inputFields: { playerId: `player-${index}` } } : {};
    const productId = productIds[index % productIds.length] ?? "";
    const lines = [{ productId, quantity, ...fields }];
    const reply = await postOrder(scrip, buyer, `${productId}-${index}`, { lines });
    assert.equal(reply.statusCode, 202, reply.body);
  };
  const indexes = Array.from({ length: count }, (_, index) => from + index);
  for (let placed = 0; placed < count; placed += PLACED_AT_ONCE)
    await Promise.all(indexes.slice(placed, placed + PLACED_AT_ONCE).map(place));
}

export const closeSale = ({ shops }: Sale): Promise<unknown> =>
  Promise.all(shops.map(({ fake }) => fake.close()));

/** Orders that have not ended. Undefined while all connections are in use, which on a busy machine can take long. */
export const countUnended = async (scrip: Pick<TestApp, "db">): Promise<number | undefined> => {
  try {
    const [left] = await scrip.db.rows<{ count: number }>(
      sql`select count(*)::integer as count from order_work`,
    );
    return left?.count ?? 0;
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error;
    return undefined;
  }
};
