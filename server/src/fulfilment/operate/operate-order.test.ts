import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { balanceOf } from "../../../testing/builders/buyers.ts";
import {
  createTestFulfiller,
  type TestFulfiller,
  unitStatuses,
} from "../../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../../testing/builders/shop.ts";
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
import { FULFILMENT_LIMITS } from "../limits.ts";
import { type RefundInput, refundOrder } from "../refund/refund-order.ts";
import { holdOrder, retryOrder } from "./hold-order.ts";
import { type LookUpDeps, lookUpOrder } from "./look-up-order.ts";
import type { Operator } from "./operator.ts";
import { decideAction, ORDER_ACTIONS } from "./order-actions.ts";
import { readOrderStates } from "./order-state.ts";

const ada: Operator = {
  actor: { kind: "staff", id: "stf_ada" },
  address: "192.0.2.1",
  reason: "Nimbus is slow",
  isFirst: true,
};
const ben: Operator = { ...ada, actor: { kind: "staff", id: "stf_ben" } };

let shop: Shop;
let supplierId: string;
let bought: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;
let balance: number;

before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, {
    kind: "scrip",
    resendAfterMs: FULFILMENT_LIMITS.arrivalMs,
  });
  bought = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  await shop.scrip.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  supplier = createScriptedSupplier();
  worker = createTestFulfiller(shop.scrip, {
    suppliers: { [supplierId]: supplier },
    limits: { breakerFailures: 1_000 },
  });
  balance = await balanceOf(shop.scrip.db, shop.buyer);
});

let settled = 0;
const deps = (): LookUpDeps => ({
  ...worker.deps,
  onSettled: () => {
    settled += 1;
  },
});
const lookUp = (id: string, by = ada) => lookUpOrder(deps(), id, by);
const writeOff = (id: string, by = ada, more: Partial<RefundInput> = {}) =>
  refundOrder(
    shop.scrip.db,
    shop.clock,
    { orderId: id, lines: undefined, which: "unknown", reason: "no answer", ...more },
    by,
  );
const refund = (id: string, more: Partial<RefundInput> = {}, by = ada) =>
  refundOrder(
    shop.scrip.db,
    shop.clock,
    { orderId: id, lines: undefined, which: "not_bought", reason: "asked for", ...more },
    by,
  );

/** An order whose purchases were sent and not answered. */
async function unknownOrder(units = 1): Promise<string> {
  supplier.answers = [lost];
  const id = await shop.order([bought, units]);
  await worker.drain();
  supplier.asked = [];
  return id;
}
const statusOf = async (id: string) => (await shop.read(id)).status;
const paid = async () => balance - (await balanceOf(shop.scrip.db, shop.buyer));
const answersOf = (id: string) =>
  shop.scrip.db.rows(sql`
    select status, send_answer as send, look_answer as look from supplier_attempts where order_id = ${id}`);
const offersOf = async (id: string) => {
  const [state] = await readOrderStates(shop.scrip.db, [id], shop.clock.now());
  assert.ok(state);
  return ORDER_ACTIONS.filter((action) => decideAction(state, action).isOffered).join(" ");
};
const actionsOf = async (id: string) => {
  const page = await listActivity(
    shop.scrip.db,
    { kind: "staff" },
    { object: { kind: "order", id } },
    { limit: 50 },
  );
  return page.data.map(({ actor, action, after: told }) => [actor.id, action, told]);
};

test("a look-up settles what the supplier says, sends nothing and is recorded", async () => {
  const id = await unknownOrder();
  assert.equal(await offersOf(id), "look_up retry hold write_off");
  supplier.answers = [sold("found by a person")];
  const before = settled;
  assert.deepEqual(await lookUp(id), {
    orderId: id,
    purchases: [{ reference: `${id}.0.0.1`, supplierId, answer: "delivered", outcome: "delivered" }],
  });
  assert.deepEqual(supplier.asked, [`look up ${id}.0.0.1`]);
  assert.equal(settled, before + 1);
  assert.equal(await statusOf(id), "completed");
  assert.equal(await paid(), PRICE_MINOR);
  assert.deepEqual(await answersOf(id), [{ status: "delivered", send: "timeout", look: "delivered" }]);
  assert.deepEqual(await actionsOf(id), [["stf_ada", "order.looked_up", { staffNote: "Nimbus is slow" }]]);
  assert.equal(await offersOf(id), "refund");
  await assert.rejects(lookUp(id), /there is nothing to look up/);
  await shop.assertHealthy();
});

test("a look-up that finds a code which was delivered before says that it is in quarantine", async () => {
  const first = await unknownOrder();
  supplier.answers = [sold("sold twice")];
  await lookUp(first);
  const second = await unknownOrder();
  supplier.answers = [sold("sold twice")];
  const { purchases } = await lookUp(second);
  assert.deepEqual(
    purchases.map(({ answer, outcome }) => [answer, outcome]),
    [["delivered", "quarantined"]],
  );
  await shop.assertHealthy();
});

test("a purchase that the supplier does not know stays open after a look-up, and only a worker sends it again", async () => {
  const id = await unknownOrder();
  shop.clock.advance(FULFILMENT_LIMITS.arrivalMs + 1);
  supplier.answers = [notFound];
  const { purchases } = await lookUp(id);
  assert.deepEqual(
    purchases.map(({ answer, outcome }) => [answer, outcome]),
    [["not_found", "open"]],
  );
  assert.deepEqual(supplier.asked, [`look up ${id}.0.0.1`]);
  assert.deepEqual(await answersOf(id), [{ status: "open", send: "timeout", look: "not_found" }]);
  supplier.answers = [notFound, sold("sent again")];
  await retryOrder(shop.scrip.db, shop.clock, id, ada);
  await worker.drain();
  assert.deepEqual(supplier.asked.slice(1), [`look up ${id}.0.0.1`, `buy ${id}.0.0.1`]);
  assert.deepEqual(await answersOf(id), [{ status: "delivered", send: "delivered", look: "not_found" }]);
  assert.equal(await statusOf(id), "completed");
  await shop.assertHealthy();
});

test("a definitive no that a look-up finds leads to the refund, once", async () => {
  const id = await unknownOrder();
  supplier.answers = [refused("out_of_stock")];
  await lookUp(id);
  await worker.drain();
  assert.equal(await statusOf(id), "refunded");
  assert.equal(await paid(), 0);
  assert.equal(await offersOf(id), "");
  await shop.assertHealthy();
});

test("a person does not look up what a worker is at, and no worker takes what a person looks up", async () => {
  const id = await shop.order([bought, 1]);
  supplier.buy = async () => {
    await assert.rejects(lookUp(id), /a worker is at .* now/);
    assert.equal(await offersOf(id), "retry hold");
    return lost;
  };
  await worker.drain();
  let looks = 0;
  supplier.lookUp = async () => {
    looks += 1;
    shop.clock.advance(FULFILMENT_LIMITS.callTimeoutMs);
    await worker.drain();
    await assert.rejects(lookUp(id, ben), /a worker is at/);
    return accepted;
  };
  await lookUp(id);
  assert.equal(looks, 1);
  assert.deepEqual(await answersOf(id), [{ status: "open", send: "timeout", look: "accepted" }]);
  await shop.assertHealthy();
});

test("a write-off pays back exactly the units without an outcome, and a code that still arrives goes to quarantine", async () => {
  supplier.answers = [lost];
  const id = await shop.order([await shop.addStocked(1), 1], [bought, 2]);
  await worker.drain();
  shop.clock.advance(60_001);
  const [state] = await readOrderStates(shop.scrip.db, [id], shop.clock.now());
  assert.ok(state);
  assert.deepEqual(decideAction(state, "write_off"), {
    isOffered: true,
    units: 2,
    amountMinor: BigInt(2 * PRICE_MINOR),
  });
  assert.deepEqual(state.unknownCosts, [
    { currency: "USD", toldState: null, amountMinor: 160n, units: 2, upstreamIds: [] },
  ]);
  const done = await writeOff(id, ada, { expected: { units: 2, amountMinor: BigInt(2 * PRICE_MINOR) } });
  assert.deepEqual(done, {
    orderId: id,
    status: "completed",
    refundedUnits: 2,
    amountMinor: BigInt(2 * PRICE_MINOR),
    currency: "USD",
  });
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered", "refunded refunded"]);
  assert.equal(await paid(), PRICE_MINOR);
  await shop.assertHealthy();
  assert.equal(await offersOf(id), "look_up refund");
  supplier.lookUp = async (reference) => sold(`late ${reference}`);
  const { purchases } = await lookUp(id);
  assert.deepEqual(
    purchases.map(({ outcome }) => outcome),
    ["quarantined", "quarantined"],
  );
  assert.equal(await paid(), PRICE_MINOR);
  assert.equal((await shop.codesOf(id)).json().data.length, 1);
  await shop.assertHealthy();
  const [, wroteOff] = await actionsOf(id);
  assert.deepEqual(wroteOff, [
    "stf_ada",
    "order.written_off",
    { reason: "no answer", units: 2, amount: "2.00 USD" },
  ]);
});

test("units are refunded one by one, never twice, and only as the person was told", async () => {
  const id = await shop.order([await shop.addStocked(3), 3]);
  await worker.drain();
  const second = { units: [{ lineIndex: 0, unitIndex: 1 }] };
  await assert.rejects(refund(id, { ...second, expected: { units: 2, amountMinor: 200n } }), {
    message: `${id} has changed: this would now pay back 1.00 USD for 1 unit, not 2.00 USD for 2`,
  });
  assert.equal(await paid(), 3 * PRICE_MINOR);
  await refund(id, { ...second, expected: { units: 1, amountMinor: 100n } });
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered refunded delivered"]);
  await assert.rejects(refund(id, second), /nothing of these units/);
  assert.equal(await paid(), 2 * PRICE_MINOR);
  await refund(id);
  assert.equal(await statusOf(id), "refunded");
  assert.equal(await paid(), 0);
  await shop.assertHealthy();
});

test("a refund leaves units alone whose purchase has no outcome, and an order that nobody has taken is refunded whole", async () => {
  const open = await unknownOrder(2);
  await assert.rejects(refund(open), /nothing of/);
  assert.deepEqual(await unitStatuses(shop.scrip.db, open), ["waiting waiting"]);
  const pending = await shop.order([bought, 2]);
  assert.equal(await offersOf(pending), "retry hold refund");
  await refund(pending, { expected: { units: 2, amountMinor: 200n } });
  assert.equal(await statusOf(pending), "refunded");
  assert.equal(await paid(), 2 * PRICE_MINOR);
  await assert.rejects(writeOff(pending), /has no purchase whose outcome is unknown|refunded already/);
  await shop.assertHealthy();
});

test("of two people who do the same at the same time one succeeds, the other is told, and nothing happens twice", async () => {
  const { db } = shop.scrip;
  const race = async (one: Promise<unknown>, other: Promise<unknown>): Promise<string> => {
    const results = await Promise.allSettled([one, other]);
    const refusals = results.flatMap((result) => (result.status === "rejected" ? [result.reason] : []));
    assert.equal(refusals.length, 1);
    assert.ok(refusals[0] instanceof RangeError);
    return refusals[0].message;
  };
  const open = await unknownOrder(2);
  assert.match(await race(writeOff(open), writeOff(open, ben)), /refunded already/);
  const done = await shop.order([await shop.addStocked(2), 2]);
  await worker.drain();
  assert.match(await race(refund(done), refund(done, {}, ben)), /refunded already/);
  const held = await unknownOrder();
  const hold = (by: Operator) => holdOrder(db, shop.clock, held, true, by);
  assert.match(await race(hold(ada), hold(ben)), /on hold already/);
  assert.match(await race(writeOff(held), writeOff(held, ben)), /refunded already/);
  assert.equal(await paid(), 0);
  for (const id of [open, done]) assert.equal((await actionsOf(id)).length, 1);
  assert.equal((await actionsOf(held)).length, 2);
  await shop.assertHealthy();
});

test("a reseller reads what the operator did to its order, and not what staff wrote for each other", async () => {
  const id = await unknownOrder();
  await holdOrder(shop.scrip.db, shop.clock, id, true, ada);
  const page = await listActivity(
    shop.scrip.db,
    { kind: "reseller", resellerId: shop.buyer.resellerId },
    { object: { kind: "order", id } },
    { limit: 10 },
  );
  assert.deepEqual(
    page.data.map(({ actor, action, after: told, address }) => ({ actor, action, told, address })),
    [{ actor: { kind: "staff" }, action: "order.held", told: {}, address: undefined }],
  );
});
