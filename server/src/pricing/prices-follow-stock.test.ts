import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { addProducts } from "../../testing/builders/builders.ts";
import { createTestFulfiller } from "../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../testing/builders/shop.ts";
import { addRouteRow, addSupplierRow } from "../../testing/builders/supply-builders.ts";
import { eventually } from "../../testing/eventually.ts";
import type { By } from "../activity/record-activity.ts";
import { runFulfilment } from "../fulfilment/run-fulfilment.ts";
import { sweep } from "../fulfilment/sweep.ts";
import { PRICING_DEFAULTS } from "../lib/settings/pricing-config.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import { importStock } from "../suppliers/stock/import-stock.ts";
import { withdrawStock } from "../suppliers/stock/withdraw-stock.ts";
import { createCodeDigest } from "../vault/code-digest.ts";
import { explainPrice } from "./explain-price.ts";
import { listProposals } from "./proposal-queries.ts";
import { publishPrices } from "./publish-prices.ts";
import { type RecomputeDeps, recomputeChanged } from "./recompute-prices.ts";
import { setRule } from "./set-rule.ts";

const HOUR_MS = 3_600_000;
const LONG_MS = 20_000;
const BY: By = { actor: { kind: "command", id: "scrip" } };
/** Five percent above what own stock costs, and above what the next route costs: a move that is published by itself. */
const [FROM_STOCK, FROM_NEXT] = [8_400n, 8_610n];
const [STOCK_COST, NEXT_COST, FAR_COST] = [8_000n, 8_200n, 9_000n];

let shop: Shop;
let deps: RecomputeDeps;
let next: string;
let products = 0;
before(async () => {
  shop = await openShop();
  const { db } = shop.scrip;
  deps = { db, clock: shop.clock, settings: PRICING_DEFAULTS.pricing };
  next = await addSupplierRow(db, { kind: "scrip" });
  const rule = { for: "all", on: "all", kind: "over_cost", value: "5%" };
  await setRule(db, shop.clock, BY, rule);
});
after(() => shop.close());
beforeEach(() => shop.clock.advance(HOUR_MS));

/** A product with codes in stock, a dearer next route, and its published price. */
async function addPriced(codes: number, costMinor = NEXT_COST): Promise<string> {
  const { db } = shop.scrip;
  products += 1;
  const productId = `card-${products}`;
  const faceValue = { amount: "100.00", currency: "USD", unit: "USD", isMoney: true };
  await addProducts(db, [{ id: productId, faceValue }]);
  const stock = { supplierId: shop.stockSupplierId, priority: 1, costMinor: STOCK_COST };
  await addRouteRow(db, { productId, ...stock });
  await addRouteRow(db, { productId, supplierId: next, priority: 2, costMinor });
  await shop.addCodes(
    productId,
    Array.from({ length: codes }, (_, index) => ({ type: "code", code: `${productId}-${index}` })),
  );
  await recomputeChanged(deps);
  await publishPrices(db, shop.clock, BY, { upToId: 1_000_000n });
  await recomputeChanged(deps);
  assert.equal(await priceOf(productId), FROM_STOCK);
  return productId;
}

async function priceOf(productId: string): Promise<bigint | undefined> {
  const [row] = await shop.scrip.db.rows<{ amountMinor: bigint }>(sql`
    select amount_minor as "amountMinor" from list_prices where product_id = ${productId} and price_list = 'standard'`);
  return row?.amountMinor;
}

async function priceAfterRun(productId: string): Promise<bigint | undefined> {
  await recomputeChanged(deps);
  return priceOf(productId);
}

const withdrawAll = (productId: string) =>
  withdrawStock(deps, {
    ...{ productId, supplierId: undefined, ids: undefined, count: undefined },
    reason: "recalled",
  });

async function importCodes(productId: string, ...codes: string[]): Promise<void> {
  const { db, codeVault, secrets } = shop.scrip;
  async function* file() {
    yield Buffer.from(`code\n${codes.map((code) => `${code}\n`).join("")}`);
  }
  const digestCode = createCodeDigest(secrets.codeDigestKey);
  const onFault = ({ reason }: { reason: string }) => assert.fail(reason);
  const input = { productId, supplierId: shop.stockSupplierId, file: file(), onFault };
  assert.ok((await importStock({ db, clock: shop.clock, codeVault, digestCode }, input)).ok);
}

test("when the last code is sold, the price follows the next route", async (t) => {
  const productId = await addPriced(2);
  const { deps: worker } = createTestFulfiller(shop.scrip, { limits: { pollMs: HOUR_MS } });
  const running = runFulfilment(worker);
  t.after(() => running.stop(LONG_MS));
  const sell = async () => {
    const id = await shop.order([productId, 1]);
    await eventually("it is sold", async () =>
      (await shop.read(id)).status === "completed" ? true : undefined,
    );
  };
  await sell();
  assert.equal(await priceAfterRun(productId), FROM_STOCK, "one is left");
  await sell();
  await eventually("the worker notes it", async () => {
    const [noted] = await deps.db.rows(sql`select from price_changes where product_id = ${productId}`);
    return noted;
  });
  assert.equal(await priceAfterRun(productId), FROM_NEXT);
});

test("when stock is withdrawn, the price follows the next route; when codes are imported, it comes back", async () => {
  const productId = await addPriced(3);
  await withdrawAll(productId);
  assert.equal(await priceAfterRun(productId), FROM_NEXT);
  await importCodes(productId, "fresh-1", "fresh-2");
  assert.equal(await priceAfterRun(productId), FROM_STOCK);
  await importCodes(productId, "fresh-3");
  assert.equal(await recomputeChanged(deps), undefined, "more of the same changes no price");
});

test("when the last code expires, the price follows the next route", async () => {
  const productId = await addPriced(1);
  await withdrawAll(productId);
  const expiresAt = new Date(shop.clock.now().getTime() + HOUR_MS).toISOString();
  await shop.addCodes(productId, [{ type: "code", code: `${productId}-short`, expiresAt }]);
  assert.equal(await priceAfterRun(productId), FROM_STOCK);
  shop.clock.advance(HOUR_MS);
  await sweep(createTestFulfiller(shop.scrip).deps);
  assert.equal(await priceAfterRun(productId), FROM_NEXT);
});

test("a next route that is much dearer makes a proposal, which goes when stock comes back", async () => {
  const productId = await addPriced(1, FAR_COST);
  const proposed = async () =>
    (await listProposals(deps.db, { afterId: 0n, limit: 100 })).map(({ newMinor }) => newMinor);
  await withdrawAll(productId);
  assert.equal(await priceAfterRun(productId), FROM_STOCK);
  assert.deepEqual(await proposed(), [9_450n]);
  await importCodes(productId, "back-again");
  await recomputeChanged(deps);
  assert.deepEqual(await proposed(), []);
});

test("stock that is gone and back before anyone looked leaves the price where it was, whatever worked it out meanwhile", async () => {
  const productId = await addPriced(1);
  const again = () => deps.db.rows(sql`insert into price_changes (product_id) values (${productId})`);
  const setState = (state: string) =>
    deps.db.rows(sql`update codes set state = ${state} where product_id = ${productId}`);
  await setState("withdrawn");
  await again();
  assert.equal(await priceAfterRun(productId), FROM_STOCK);
  await setState("stock");
  await refreshSupply(deps.db, [productId], shop.clock.now());
  assert.equal(await priceAfterRun(productId), FROM_STOCK);
});

test("an explanation names the route that the price rests on", async () => {
  const productId = await addPriced(1);
  const explain = async () =>
    (
      await explainPrice(deps.db, shop.clock, deps.settings, {
        productId,
        resellerId: shop.buyer.resellerId,
      })
    ).cost?.supplierId;
  assert.equal(await explain(), shop.stockSupplierId);
  await withdrawAll(productId);
  assert.equal(await explain(), next);
});
