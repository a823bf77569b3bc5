import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller, type TestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import {
  accepted,
  createScriptedSupplier,
  lost,
  notFound,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { listActivity } from "../../activity/list-activity.ts";
import { setEnabled } from "../../suppliers/enable-supplier.ts";
import { decideDisabling, enableRoute } from "../../suppliers/overcharges/route-pauses.ts";
import { listRouteRows } from "../../suppliers/route-queries.ts";
import type { PurchaseOutcome, PurchaseRequest, ToldPrice } from "../../suppliers/supplier.ts";
import { supplierStatement } from "../../suppliers/supplier-statement.ts";
import { followWrittenOff } from "../operate/follow-written-off.ts";
import { refundOrder } from "../refund/refund-order.ts";
import type { PriceAlert } from "./guard-price.ts";

/** What `addBought` says that a unit costs. */
const COST_MINOR = 80n;
const EVERYTHING = { supplierId: undefined, from: undefined, to: undefined };

let shop: Shop;
let supplierId: string;
let productId: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;
let alerts: string[];
let requests: PurchaseRequest[];

before(async () => {
  shop = await openShop();
});
after(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  productId = await shop.addBought(supplierId);
  supplier = createScriptedSupplier();
  alerts = [];
  requests = [];
  const { buy } = supplier;
  supplier.buy = (request) => {
    requests.push(request);
    return buy(request);
  };
  const onPriceAlert = ({ alert, unit }: PriceAlert) =>
    alerts.push(`${alert} ${unit.lineIndex}.${unit.unitIndex}`);
  worker = createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    changes: { onPriceAlert },
  });
});

const usd = (amountMinor: bigint): ToldPrice => ({ amountMinor, currency: "USD" });
const at = (outcome: PurchaseOutcome, price: ToldPrice): PurchaseOutcome =>
  ({ ...outcome, price }) as PurchaseOutcome;

const isEnabled = async () => {
  const [row] = await shop.scrip.db.rows<{ enabled: boolean }>(
    sql`select enabled from suppliers where id = ${supplierId}`,
  );
  return row?.enabled;
};
const statement = async () => {
  const { data, attempts } = await supplierStatement(shop.scrip.db, { ...EVERYTHING, supplierId }, 10);
  return {
    sums: data.map(({ bought, refused, unknown, cost, unknownCost }) => [
      `${bought} bought, ${refused} refused, ${unknown} unknown`,
      `${cost?.amount} ${cost?.currency}, ${unknownCost?.amount} unknown`,
    ]),
    attempts: attempts.map(({ status, reason, cost, price }) => [
      status,
      reason,
      cost?.amount,
      price?.amount,
    ]),
  };
};

const pauseOf = async (product: string) => {
  const filter = { productId: product, supplierId, after: undefined, limit: 1 };
  return (await listRouteRows(shop.scrip.db, filter))[0]?.pause ?? null;
};
const isSold = async (product: string): Promise<boolean> => {
  const { json } = await shop.scrip.call("GET", `/v1/products/${product}`, { key: shop.buyer.key });
  return json().product.purchasable;
};
const activityOf = async (objectId: string) => {
  const { data } = await listActivity(
    shop.scrip.db,
    { kind: "staff" },
    { object: { id: objectId } },
    { limit: 10 },
  );
  return data.map(({ actor, action, after }) => ({ actor: actor.kind, action, after }));
};
const BY = { actor: { kind: "command", id: "scrip" } } as const;

async function later(ms: number): Promise<void> {
  shop.clock.advance(ms);
  await worker.drain();
}

test("the cost of the route goes with the purchase, and a price equal to the cost raises no alert", async () => {
  supplier.answers = [at(sold("G-1"), usd(COST_MINOR))];
  const id = await shop.order([productId, 1]);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
  assert.deepEqual(requests[0]?.limit, { expectedMinor: 80n, maxMinor: 80n, currency: "USD" });
  assert.deepEqual(alerts, []);
  assert.deepEqual(await statement(), {
    sums: [["1 bought, 0 refused, 0 unknown", "80 USD, 0 unknown"]],
    attempts: [],
  });
});

test("with a maximum the purchase may cost that much, and the charge is booked and reported", async () => {
  await shop.scrip.db.rows(
    sql`update supplier_routes set max_cost_minor = 95 where supplier_id = ${supplierId}`,
  );
  supplier.answers = [at(sold("G-2"), usd(95n))];
  const id = await shop.order([productId, 1]);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
  assert.deepEqual(requests[0]?.limit, { expectedMinor: 80n, maxMinor: 95n, currency: "USD" });
  assert.deepEqual(alerts, ["purchase_price_differs 0.0"]);
  assert.equal(await isEnabled(), true);
  assert.deepEqual(await statement(), {
    sums: [["1 bought, 0 refused, 0 unknown", "95 USD, 0 unknown"]],
    attempts: [["delivered", "price", 80, 95]],
  });
});

const OVERCHARGED: [what: string, price: ToldPrice, sum: string, listed: unknown[][]][] = [
  [
    "999,999,999 in place of 80",
    usd(999_999_999n),
    "999999999 USD, 0 unknown",
    [["delivered", "price", 80, 999_999_999]],
  ],
  [
    "another currency",
    { amountMinor: 80n, currency: "JPY" },
    "80 JPY, 0 unknown",
    [["delivered", "price", 80, 80]],
  ],
  ["no readable price", "unreadable", "80 USD, 0 unknown", []],
];
for (const [what, price, sum, listed] of OVERCHARGED) {
  test(`a unit that was sold for ${what} is delivered once, booked as charged, and the supplier is disabled`, async () => {
    supplier.answers = [at(sold(`G-3 ${what}`), price)];
    const id = await shop.order([productId, 1]);
    await worker.drain();
    assert.equal((await shop.read(id)).status, "completed");
    assert.deepEqual(supplier.asked, [`buy ${id}.0.0.1`]);
    assert.deepEqual(alerts, ["purchase_price_beyond_limit 0.0"]);
    assert.equal(await isEnabled(), false);
    const catalog = await shop.scrip.call("GET", `/v1/products/${productId}`, { key: shop.buyer.key });
    assert.equal(catalog.json().product.purchasable, false);
    assert.deepEqual(await statement(), {
      sums: [["1 bought, 0 refused, 0 unknown", sum]],
      attempts: listed,
    });
    await shop.assertHealthy();
  });
}

test("a synced route may be charged the supplier's headroom, and not more", async () => {
  const set = sql`update suppliers set headroom_bp = 500 where id = ${supplierId}`;
  await shop.scrip.db.rows(set);
  await shop.scrip.db.rows(sql`update supplier_routes set synced = true where supplier_id = ${supplierId}`);
  await overcharge(productId, "G-18");
  assert.deepEqual(requests[0]?.limit, { expectedMinor: 80n, maxMinor: 84n, currency: "USD" });
  assert.equal(await pauseOf(productId), null);
  await overcharge(productId, "G-19", 85n);
  assert.equal((await pauseOf(productId))?.chargedMinor, 85n);
});

test("a charge above the limit pauses its route, with what was expected and charged, and nothing else", async () => {
  const other = await shop.addBought(supplierId);
  supplier.answers = [at(sold("G-20"), usd(84n))];
  const id = await shop.order([productId, 1]);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
  assert.equal(await isEnabled(), true);
  assert.deepEqual(await pauseOf(productId), {
    pausedAt: shop.clock.now(),
    ...{ expectedMinor: 80n, chargedMinor: 84n, currency: "USD" },
    ...{ orderId: id, lineIndex: 0, unitIndex: 0, attempt: 1 },
  });
  assert.deepEqual([await isSold(productId), await isSold(other)], [false, true]);
  const paused = { supplier: supplierId, expected: "0.80 USD", limit: "0.80 USD", charged: "0.84 USD" };
  assert.deepEqual(await activityOf(productId), [
    { actor: "system", action: "route.paused", after: { ...paused, order: id, unit: "0.0" } },
  ]);

  supplier.answers = [at(sold("G-21"), usd(80n)), at(sold("G-22"), usd(80n))];
  await shop.order([other, 1]);
  await worker.drain();
  await enableRoute(shop.scrip.db, shop.clock, { productId, supplierId }, BY);
  assert.equal(await pauseOf(productId), null);
  assert.equal((await activityOf(productId))[0]?.action, "route.enabled");
  const again = await shop.order([productId, 1]);
  await worker.drain();
  assert.equal((await shop.read(again)).status, "completed");
  await shop.assertHealthy();
});

test("of an order that is under way the units after the pause take the next route or are refunded, and count once", async () => {
  const quantity = worker.deps.limits.callsPerOrderMax + 2;
  supplier.answers = Array.from({ length: quantity }, (_, index) => at(sold(`G-23-${index}`), usd(84n)));
  const id = await shop.order([productId, quantity]);
  await worker.drain();
  await later(60_000);
  const order = await shop.read(id);
  assert.equal(order.status, "completed");
  assert.equal(supplier.asked.length, worker.deps.limits.callsPerOrderMax);
  assert.equal(order.lines[0]?.refundedQuantity, 2);
  assert.equal(await isEnabled(), true);
  await shop.assertHealthy();
});

const overcharge = async (product: string, goods: string, price = 84n): Promise<void> => {
  supplier.answers = [at(sold(goods), usd(price))];
  await shop.order([product, 1]);
  await worker.drain();
};

test("the third overcharge in 24 hours disables the supplier, and enabling it starts the count again", async () => {
  const [second, third] = [await shop.addBought(supplierId), await shop.addBought(supplierId)];
  await overcharge(productId, "G-30");
  shop.clock.advance(24 * 3_600_000);
  await overcharge(second, "G-31");
  await overcharge(third, "G-32");
  assert.equal(await isEnabled(), true);
  await enableRoute(shop.scrip.db, shop.clock, { productId, supplierId }, BY);
  await overcharge(productId, "G-33");
  assert.equal(await isEnabled(), false);
  const [row] = await activityOf(supplierId);
  assert.deepEqual(
    [row?.actor, row?.action, row?.after?.reason, row?.after?.product, row?.after?.charged],
    ["system", "supplier.disabled", "repeated_overcharges", productId, "0.84 USD"],
  );
  await setEnabled(shop.scrip.db, shop.clock, supplierId, true, BY);
  await enableRoute(shop.scrip.db, shop.clock, { productId, supplierId }, BY);
  await overcharge(productId, "G-34");
  assert.equal(await isEnabled(), true);
});

test("a charge far above the cost disables the supplier, and its route rests too", async () => {
  await overcharge(productId, "G-40", 97n);
  assert.equal(await isEnabled(), false);
  assert.equal((await pauseOf(productId))?.chargedMinor, 97n);
});

const DECIDED: [what: string, price: ToldPrice, times: number, reason: string | undefined][] = [
  ["a little more", usd(84n), 2, undefined],
  ["a fifth more", usd(96n), 1, undefined],
  ["more than a fifth more", usd(97n), 1, "large_overcharge"],
  ["a little more for the third time", usd(84n), 3, "repeated_overcharges"],
  ["another currency", { amountMinor: 1n, currency: "NGN" }, 0, "other_currency"],
  ["an unreadable price", "unreadable", 0, "unreadable_price"],
];
test("what disables a supplier: a price that cannot be compared, a large overcharge, and repeated ones", () => {
  const limit = { expectedMinor: 80n, maxMinor: 81n, currency: "USD" };
  for (const [what, price, times, reason] of DECIDED)
    assert.equal(
      decideDisabling({ limit, price }, { overchargeTimes: 3, overchargeAboveBp: 2_000 }, times),
      reason,
      what,
    );
});

test("a refusal because of the price refunds the reseller, costs nothing, and is reported", async () => {
  supplier.answers = [at(refused("temporarily_unavailable"), usd(90n))];
  const id = await shop.order([productId, 1]);
  await worker.drain();
  const order = await shop.read(id);
  assert.deepEqual([order.status, order.lines[0]?.failureCode], ["refunded", "temporarily_unavailable"]);
  assert.deepEqual(alerts, ["purchase_price_refused 0.0"]);
  assert.equal(await isEnabled(), true);
  assert.deepEqual(await statement(), {
    sums: [["0 bought, 1 refused, 0 unknown", "0 USD, 0 unknown"]],
    attempts: [["refused", "price", 80, 90]],
  });
  await shop.assertHealthy();
});

test("a price that comes while the purchase is open counts as unknown, and is reported once", async () => {
  const dear = at(accepted, usd(500n));
  supplier.answers = [dear, dear, dear, at(sold("G-5"), usd(500n))];
  const id = await shop.order([productId, 1]);
  await worker.drain();
  await later(2_000);
  assert.deepEqual((await statement()).sums, [["0 bought, 0 refused, 1 unknown", "0 USD, 500 unknown"]]);
  await later(4_000);
  await later(8_000);
  assert.equal((await shop.read(id)).status, "completed");
  assert.deepEqual(alerts, ["purchase_price_beyond_limit 0.0"]);
  assert.deepEqual((await statement()).sums, [["1 bought, 0 refused, 0 unknown", "500 USD, 0 unknown"]]);
});

test("a purchase that was written off is booked as charged when it arrives", async () => {
  supplier.answers = [accepted, at(sold("G-6"), usd(70n))];
  const id = await shop.order([productId, 1]);
  await worker.drain();
  await refundOrder(shop.scrip.db, shop.clock, { orderId: id, lines: undefined, reason: "too late" });
  await followWrittenOff(worker.deps);
  assert.deepEqual(alerts, ["purchase_price_differs 0.0"]);
  assert.deepEqual(await statement(), {
    sums: [["1 bought, 0 refused, 0 unknown", "70 USD, 0 unknown"]],
    attempts: [["quarantined", "late", 80, 70]],
  });
  await shop.assertHealthy();
});

test("without a cost nothing is expected, and the charge is still booked", async () => {
  await shop.scrip.db.rows(
    sql`update supplier_routes set cost_minor = null, cost_currency = null where supplier_id = ${supplierId}`,
  );
  supplier.answers = [at(sold("G-7"), usd(1_234n))];
  await shop.order([productId, 1]);
  await worker.drain();
  assert.equal(requests[0]?.limit, undefined);
  assert.deepEqual(alerts, []);
  assert.deepEqual(await statement(), {
    sums: [["1 bought, 0 refused, 0 unknown", "1234 USD, 0 unknown"]],
    attempts: [],
  });
});

const SOLD_AFTER_REFUSAL: [what: string, outcome: PurchaseOutcome, sum: string, listed: unknown[][]][] = [
  ["an unreadable total", at(sold("G-8"), "unreadable"), "80 USD, 0 unknown", []],
  ["no total", sold("G-9"), "80 USD, 0 unknown", []],
  ["the refused price", at(sold("G-10"), usd(90n)), "90 USD, 0 unknown", [["delivered", "price", 80, 90]]],
];
for (const [what, outcome, sum, listed] of SOLD_AFTER_REFUSAL) {
  test(`a price that was refused is not booked when the first request turns out to have sold for ${what}`, async () => {
    supplier.answers = [lost, notFound, at(refused("temporarily_unavailable"), usd(90n)), outcome];
    const id = await shop.order([productId, 1]);
    await worker.drain();
    for (let go = 0; go < 5 && (await shop.read(id)).status !== "completed"; go += 1) await later(30_000);
    assert.equal((await shop.read(id)).status, "completed");
    assert.deepEqual(await statement(), {
      sums: [["1 bought, 0 refused, 0 unknown", sum]],
      attempts: listed,
    });
    // A price that was charged is judged as if it had never been refused.
    assert.equal(alerts.includes("purchase_price_beyond_limit 0.0"), "price" in outcome);
    assert.equal(await isEnabled(), what !== "an unreadable total");
    assert.equal((await pauseOf(productId)) !== null, what === "the refused price");
  });
}
