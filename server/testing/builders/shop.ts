import assert from "node:assert/strict";
import type { LightMyRequestResponse } from "fastify";
import sql from "sql-template-tag";
import { audit } from "../../src/audit/audit.ts";
import type { OrderView } from "../../src/orders/schemas.ts";
import { encodeGoods, type Goods, identityOf } from "../../src/suppliers/goods.ts";
import { refreshSupply } from "../../src/suppliers/refresh-supply.ts";
import type { ShortageFinder } from "../../src/suppliers/stock/stock-levels.ts";
import { createCodeDigest } from "../../src/vault/code-digest.ts";
import { stockPlace } from "../../src/vault/code-place.ts";
import { createTestApp, type TestApp } from "../app/test-app.ts";
import { keepPlans } from "../database/keep-plans.ts";
import { createHandClock, type HandClock } from "../hand-clock.ts";
import { addListPrice, addProducts } from "./builders.ts";
import { addBuyer, type Buyer, postOrder } from "./buyers.ts";
import { newId } from "./new-id.ts";
import { addRouteRow, addSupplierRow } from "./supply-builders.ts";

/** The price of one unit of everything here. */
export const PRICE_MINOR = 100;
const QUANTITY_MAX = 10_000;
const CLOCK_AHEAD_MS = 3_600_000;

/** An app with a buyer, a stock supplier and a manual clock. */
export type Shop = {
  scrip: TestApp;
  clock: HandClock;
  buyer: Buyer;
  stockSupplierId: string;
  /** A product that is sold from stock: a number of codes, or these goods. */
  addStocked(goods: number | readonly Goods[]): Promise<string>;
  /** A product that is bought from these suppliers, in this order. */
  addBought(...supplierIds: string[]): Promise<string>;
  /** Adds codes for a product and returns their ids, in selling order. */
  addCodes(productId: string, goods: readonly Goods[]): Promise<string[]>;
  order(...lines: [productId: string, quantity: number][]): Promise<string>;
  read(orderId: string): Promise<OrderView>;
  /** The codes as the buyer reads them. */
  codesOf(orderId: string): Promise<LightMyRequestResponse>;
  assertHealthy(): Promise<void>;
  close(): Promise<void>;
};

/** Most tests order unavailable products, as if they sold out in between. Others want to be refused immediately. */
const everythingIsThere: ShortageFinder = async () => undefined;

export async function openShop(
  funds = "100000.00",
  findShortage: ShortageFinder = everythingIsThere,
): Promise<Shop> {
  // Ids never go back in time, and what the system clock created must not make orders due in the future.
  const clock = createHandClock(new Date(Date.now() + CLOCK_AHEAD_MS));
  const scrip = await createTestApp({ clock, findShortage });
  const { db } = scrip;
  const buyer = await addBuyer(scrip, funds);
  const stockSupplierId = await addSupplierRow(db);
  let made = 0;

  const addProduct = async (...supplierIds: string[]): Promise<string> => {
    made += 1;
    const productId = `product-${made}`;
    await addProducts(db, [{ id: productId }]);
    await db.rows(sql`update products set max_quantity = ${QUANTITY_MAX} where id = ${productId}`);
    await addListPrice(db, { productId, amountMinor: BigInt(PRICE_MINOR) });
    for (const [priority, supplierId] of supplierIds.entries())
      await addRouteRow(db, { productId, supplierId, priority, costMinor: 80n });
    return productId;
  };
  const addCodes = (productId: string, goods: readonly Goods[]) =>
    insertStock(scrip, { productId, supplierId: stockSupplierId, goods, now: clock.now() });

  return {
    scrip,
    clock,
    buyer,
    stockSupplierId,
    addBought: addProduct,
    addCodes,
    async addStocked(goods) {
      const productId = await addProduct(stockSupplierId);
      await addCodes(productId, typeof goods === "number" ? numberedCodes(productId, goods) : goods);
      return productId;
    },
    async order(...lines) {
      made += 1;
      const body = { lines: lines.map(([productId, quantity]) => ({ productId, quantity })) };
      const reply = await postOrder(scrip, buyer, `order-${made}`, body);
      assert.equal(reply.statusCode, 202, reply.body);
      return reply.json().order.id;
    },
    async read(orderId) {
      const reply = await scrip.call("GET", `/v1/orders/${orderId}`, { key: buyer.key });
      assert.equal(reply.statusCode, 200, reply.body);
      return reply.json().order;
    },
    codesOf: (orderId) => scrip.call("GET", `/v1/orders/${orderId}/codes`, { key: buyer.key }),
    async assertHealthy() {
      const { invariants } = await audit(keepPlans(db));
      assert.deepEqual(
        invariants.filter(({ ok }) => !ok),
        [],
      );
    },
    close: () => scrip.close(),
  };
}

const numberedCodes = (productId: string, count: number): Goods[] =>
  Array.from({ length: count }, (_, index) => ({ type: "code", code: `${productId}-${index}` }));

type Stock = { productId: string; supplierId: string; goods: readonly Goods[]; now: Date };

/** In one statement, because some tests need thousands. */
async function insertStock(scrip: TestApp, { productId, supplierId, goods, now }: Stock): Promise<string[]> {
  const digest = createCodeDigest(scrip.secrets.codeDigestKey);
  const ids = goods.map(() => newId("cod"));
  const sealed = goods.map((one, index) =>
    scrip.codeVault.seal(stockPlace(ids[index] ?? "", productId), encodeGoods(one)),
  );
  const expiries = goods.map((one) => (one.type === "topup" ? null : (one.expiresAt ?? null)));
  await scrip.db.rows(sql`
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, expires_at)
    select id, 'live', ${productId}, ${supplierId}, 'stock', type, sealed, digest, expires_at
    from unnest(
      ${ids}::text[], ${goods.map(({ type }) => type)}::text[], ${sealed}::bytea[],
      ${goods.map((one) => digest(identityOf(one) ?? ""))}::bytea[], ${expiries}::timestamptz[]
    ) as one (id, type, sealed, digest, expires_at)`);
  await refreshSupply(scrip.db, [productId], now);
  return ids;
}
