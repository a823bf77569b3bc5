import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import { balanceOf } from "../../../testing/builders/buyers.ts";
import {
  createTestFulfiller,
  type TestFulfiller,
  unitStatuses,
} from "../../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import {
  createScriptedSupplier,
  lost,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { holdOrder } from "../operate/hold-order.ts";
import { type RefundedOrder, refundOrder } from "./refund-order.ts";

let shop: Shop;
let supplierId: string;
let bought: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;
let balance: number;

before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  bought = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
  balance = await balanceOf(shop.scrip.db, shop.buyer);
});

const ALL_BACK = ["refunded refunded", "refunded"];
const REASON = "the customer changed their mind";
const refund = (orderId: string, lines?: number[], reason = REASON): Promise<RefundedOrder> =>
  refundOrder(shop.scrip.db, shop.clock, { orderId, lines, reason });
const hold = (orderId: string, held = true) => holdOrder(shop.scrip.db, shop.clock, orderId, held);

/** Two units that are in stock, and one that the supplier does not tell about. */
async function partlyDelivered(): Promise<string> {
  supplier.answers = [lost];
  const id = await shop.order([await shop.addStocked(2), 2], [bought, 1]);
  await worker.drain();
  return id;
}
async function completed(): Promise<string> {
  const id = await shop.order([await shop.addStocked(2), 2], [await shop.addStocked(1), 1]);
  await worker.drain();
  return id;
}
/** All units were refused, and nothing has been paid back yet. */
async function failed(held: boolean): Promise<string> {
  supplier.answers = [refused("rejected_by_issuer")];
  const id = await shop.order([bought, 2], [bought, 1]);
  if (held) await hold(id);
  for (let go = 0; go < 2; go += 1) {
    await worker.step();
    await worker.idle();
  }
  return id;
}

/** What the operator is told, what the reseller reads and has paid for, and that nothing broke. */
async function check(refunded: RefundedOrder, status: string, units: number, paid: number, left: string[]) {
  const { orderId } = refunded;
  const amountMinor = BigInt(units * PRICE_MINOR);
  const told = { orderId, status, refundedUnits: units, amountMinor, currency: "USD" };
  assert.deepEqual(refunded, told);
  assert.equal((await shop.read(orderId)).status, status);
  assert.deepEqual(await unitStatuses(shop.scrip.db, orderId), left);
  const entries = await shop.scrip.call("GET", `/v1/wallet/entries?type=refund&orderId=${orderId}`, {
    key: shop.buyer.key,
  });
  const [entry] = entries.json().data;
  assert.deepEqual([entry.amount, entry.note], [units * PRICE_MINOR, REASON]);
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance - paid * PRICE_MINOR);
  await shop.assertHealthy();
}
/** Nothing is left to do for the order, however long one waits. */
async function checkRests(id: string, status: string) {
  supplier.answers = [sold(`too late for ${id}`)];
  shop.clock.advance(3_600_000);
  await worker.drain();
  assert.equal((await shop.read(id)).status, status);
  await shop.assertHealthy();
}

test("a pending order is refunded before anything is bought for it", async () => {
  const id = await shop.order([bought, 2], [bought, 1]);
  await check(await refund(id), "refunded", 3, 0, ALL_BACK);
  await checkRests(id, "refunded");
  assert.deepEqual(supplier.asked, []);
});

test("a line of a pending order is refunded and the others are delivered", async () => {
  supplier.answers = [sold("only line 1")];
  const id = await shop.order([bought, 2], [bought, 1]);
  await check(await refund(id, [0]), "processing", 2, 1, ["refunded refunded", "waiting"]);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
  assert.deepEqual(supplier.asked, [`buy ${id}.1.0.1`]);
  await shop.assertHealthy();
});

test("of an order that is delivered in part what is missing is refunded; then what was delivered, and codes stay readable", async () => {
  const id = await partlyDelivered();
  await check(await refund(id), "completed", 1, 2, ["delivered delivered", "refunded"]);
  const codes = (await shop.codesOf(id)).json().data;
  assert.equal(codes.length, 2);
  await check(await refund(id), "refunded", 2, 0, ALL_BACK);
  assert.deepEqual((await shop.codesOf(id)).json().data, codes);
  await assert.rejects(refund(id), { name: "RangeError", message: `${id} has been refunded already` });
  await checkRests(id, "refunded");
});

test("delivered lines of an order that is still under way cannot be refunded yet", async () => {
  const id = await partlyDelivered();
  await assert.rejects(refund(id, [0]), {
    message: new RegExp(`nothing of these lines of ${id} can be refunded: it is processing`),
  });
  await check(await refund(id, [1]), "completed", 1, 2, ["delivered delivered", "refunded"]);
  await check(await refund(id, [0]), "refunded", 2, 0, ALL_BACK);
});

test("a completed order is refunded line by line, each line once", async () => {
  const id = await completed();
  await check(await refund(id, [1]), "completed", 1, 2, ["delivered delivered", "refunded"]);
  await assert.rejects(refund(id, [1]), /nothing of these lines/);
  assert.equal((await shop.codesOf(id)).json().data.length, 3);
  await check(await refund(id, [0, 1]), "refunded", 2, 0, ALL_BACK);
  assert.equal((await shop.codesOf(id)).json().data.length, 3);
});

test("a completed order is refunded as a whole, and not twice", async () => {
  const id = await completed();
  await check(await refund(id), "refunded", 3, 0, ALL_BACK);
  await assert.rejects(refund(id), /has been refunded already/);
  await assert.rejects(refund(id, [0]), /has been refunded already/);
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance);
});

test("a failed order that the operator refunds before a worker does is refunded once", async () => {
  const id = await failed(false);
  assert.equal((await shop.read(id)).status, "failed");
  await check(await refund(id), "refunded", 3, 0, ALL_BACK);
  await checkRests(id, "refunded");
});

test("of a failed order the operator refunds a line, and a worker the others", async () => {
  const id = await failed(false);
  await check(await refund(id, [0]), "failed", 2, 1, ["refunded refunded", "failed"]);
  await checkRests(id, "refunded");
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance);
});

test("a failed order on hold is refunded line by line by the operator alone", async () => {
  const id = await failed(true);
  await checkRests(id, "failed");
  await check(await refund(id, [1]), "failed", 1, 2, ["failed failed", "refunded"]);
  await checkRests(id, "failed");
  await check(await refund(id), "refunded", 2, 0, ALL_BACK);
});

test("an order on hold that was delivered in part is completed by its refund", async () => {
  supplier.answers = [refused("out_of_stock")];
  const id = await shop.order([await shop.addStocked(2), 2], [bought, 1], [bought, 1]);
  await hold(id);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "processing");
  const left = ["delivered delivered", "refunded", "failed"];
  await check(await refund(id, [1]), "processing", 1, 3, left);
  await checkRests(id, "processing");
  const all = ["delivered delivered", "refunded", "refunded"];
  await check(await refund(id), "completed", 1, 2, all);
  await checkRests(id, "completed");
});

test("a refund that makes no sense is refused with its reason, and moves nothing", async () => {
  const id = await partlyDelivered();
  const message = `${id} has no line 2; its lines are 0, 1`;
  await assert.rejects(refund(id, [1, 2]), { name: "RangeError", message });
  await assert.rejects(refund(id, []), /nothing of these lines/);
  await assert.rejects(refund("ord_none"), { message: "there is no order ord_none" });
  await assert.rejects(refund(id, undefined, "  "), { message: "a refund needs a reason" });
  await assert.rejects(refund(id, undefined, "é".repeat(501)), {
    message: "a reason has at most 500 characters",
  });
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered delivered", "waiting"]);
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance - 3 * PRICE_MINOR);
  const refunded = await refund(id, [1, 1], "😀".repeat(500));
  assert.equal(refunded.refundedUnits, 1);
  shop.clock.advance(FULFILMENT_LIMITS.leaseMs);
  await shop.assertHealthy();
});

test("a refund of another amount, or of other units, than the person was told is refused", async () => {
  const orderId = await shop.order([bought, 1]);
  const input = { orderId, lines: undefined, reason: "as told" };
  for (const expected of [
    { units: 1, amountMinor: BigInt(PRICE_MINOR) + 1n },
    { units: 2, amountMinor: BigInt(PRICE_MINOR) },
  ])
    await assert.rejects(refundOrder(shop.scrip.db, shop.clock, { ...input, expected }), /has changed/);
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance - PRICE_MINOR);
  const told = { units: 1, amountMinor: BigInt(PRICE_MINOR) };
  await refundOrder(shop.scrip.db, shop.clock, { ...input, expected: told });
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance);
});
