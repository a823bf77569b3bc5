import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { balanceOf, postOrder } from "../../../testing/builders/buyers.ts";
import {
  createTestFulfiller,
  type TestFulfiller,
  unitStatuses,
} from "../../../testing/builders/fulfilment.ts";
import { openShop, PRICE_MINOR, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { eventually } from "../../../testing/eventually.ts";
import {
  createScriptedSupplier,
  lost,
  refused,
  type ScriptedSupplier,
  sold,
} from "../../../testing/upstream/scripted-supplier.ts";
import { listActivity } from "../../activity/list-activity.ts";
import type { Goods } from "../../suppliers/goods.ts";
import type { PurchaseOutcome } from "../../suppliers/supplier.ts";
import { refundOrder } from "../refund/refund-order.ts";
import { enterCode } from "./enter-code.ts";
import { followWrittenOff } from "./follow-written-off.ts";
import type { Operator } from "./operator.ts";

const ada: Operator = { actor: { kind: "staff", id: "stf_ada" }, address: "192.0.2.1", reason: "ticket 812" };
const UNREADABLE: PurchaseOutcome = {
  kind: "accepted",
  upstreamId: "70006",
  said: { httpStatus: 200, word: "SUCCESSFUL", upstreamId: "70006", state: "sold" },
};
const FIRST = { lineIndex: 0, unitIndex: 0 };

let shop: Shop;
let supplierId: string;
let bought: string;
let supplier: ScriptedSupplier;
let worker: TestFulfiller;

before(async () => {
  shop = await openShop();
  supplierId = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  bought = await shop.addBought(supplierId);
});
after(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  await shop.scrip.db.rows(sql`update suppliers set consecutive_failures = 0, open_until = null`);
  supplier = createScriptedSupplier(UNREADABLE);
  worker = createTestFulfiller(shop.scrip, { suppliers: { [supplierId]: supplier } });
});

const enter = (orderId: string, code: string, unit = FIRST, more: Partial<Goods & { type: "code" }> = {}) =>
  enterCode(worker.deps, { orderId, unit, goods: { type: "code", code, ...more } }, ada);

async function soldOrder(units = 1): Promise<string> {
  const id = await shop.order([bought, units]);
  await worker.drain();
  return id;
}

const quarantined = (orderId: string) =>
  shop.scrip.db.rows(sql`
    select quarantine_reason as reason from codes where order_id = ${orderId} and state = 'quarantined'`);

test("a code that the supplier's support sent is delivered like any other: the order completes, its event is sent once, nobody is paid back", async () => {
  const balance = await balanceOf(shop.scrip.db, shop.buyer);
  const id = await soldOrder();
  await enter(id, "MAILED-1", FIRST, { pin: "1234", serial: "S-1", expiresAt: "2040-01-01T00:00:00.000Z" });
  assert.equal((await shop.read(id)).status, "completed");
  await worker.drain();
  const [code] = (await shop.codesOf(id)).json().data;
  const { code: text, pin, serial, expiresAt } = code;
  assert.deepEqual([text, pin, serial, expiresAt], ["MAILED-1", "1234", "S-1", "2040-01-01T00:00:00.000Z"]);
  const [attempt] = await shop.scrip.db.rows(sql`
    select status, by_hand as "byHand", upstream_id as "upstreamId" from supplier_attempts where order_id = ${id}`);
  assert.deepEqual(attempt, { status: "delivered", byHand: true, upstreamId: "70006" });
  const events = await shop.scrip.db.rows(sql`select type from events where order_id = ${id}`);
  assert.deepEqual(events, [{ type: "order.fulfilled" }]);
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance - PRICE_MINOR);
  const about = { object: { kind: "order", id } };
  const { data } = await listActivity(shop.scrip.db, { kind: "staff" }, about, { limit: 10 });
  assert.deepEqual(
    data.map(({ actor, action, after }) => [actor.id, action, after]),
    [["stf_ada", "order.code_entered", { line: 1, unit: 1, staffNote: "ticket 812" }]],
  );
  await shop.assertHealthy();
});

test("a code that was seen before is refused, wherever it is now, and nothing changes", async () => {
  await shop.addStocked([{ type: "code", code: "IN-STOCK" }]);
  const late = await soldOrder();
  await refundOrder(shop.scrip.db, shop.clock, {
    orderId: late,
    lines: undefined,
    reason: "waited too long",
  });
  supplier.answers = [sold("IN-QUARANTINE")];
  while (await followWrittenOff(worker.deps));
  assert.deepEqual(await quarantined(late), [{ reason: "late" }]);
  supplier.answers = [UNREADABLE];
  const id = await soldOrder(2);
  await enter(id, "MAILED-2");
  for (const code of ["MAILED-2", "IN-STOCK", "IN-QUARANTINE"])
    await assert.rejects(enter(id, code, { lineIndex: 0, unitIndex: 1 }), /seen before/, code);
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered waiting"]);
  const other = await soldOrder();
  const both = await Promise.allSettled([
    enter(id, "MAILED-3", { lineIndex: 0, unitIndex: 1 }),
    enter(other, "MAILED-3"),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  await shop.assertHealthy();
});

test("only a unit that waits for a purchase without an outcome takes a code", async () => {
  const id = await soldOrder();
  for (const [orderId, unit, why] of [
    ["ord_none", FIRST, /there is no order/],
    [id, { lineIndex: 0, unitIndex: 1 }, /has no purchase without an outcome/],
    [id, { lineIndex: 3, unitIndex: 0 }, /has no purchase without an outcome/],
  ] as const)
    await assert.rejects(enter(orderId, "MAILED-4", unit), why);
  const receipt: Goods = { type: "topup", receipt: "R-1" };
  await assert.rejects(
    enterCode(worker.deps, { orderId: id, unit: FIRST, goods: receipt }, ada),
    /a gift card has/,
  );
  await enter(id, "MAILED-4");
  await assert.rejects(enter(id, "MAILED-5"), /has no purchase without an outcome/);
  supplier.answers = [{ kind: "accepted", upstreamId: "70007" }];
  const fresh = await soldOrder();
  await assert.rejects(
    enter(fresh, "MAILED-6"),
    /has no purchase without an outcome/,
    "it was sent a moment ago",
  );
  await refundOrder(shop.scrip.db, shop.clock, { orderId: fresh, lines: undefined, reason: "over" });
  await assert.rejects(enter(fresh, "MAILED-6"), /has no purchase without an outcome/, "it was written off");
  await shop.assertHealthy();
});

/** A worker that is asking the supplier while a person enters the code. */
async function raceWith(
  answer: PurchaseOutcome,
  whileAsked: (id: string) => Promise<unknown>,
): Promise<string> {
  supplier.answers = [lost];
  const id = await soldOrder();
  shop.clock.advance(61_000);
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isAsked = false;
  supplier.lookUp = async () => {
    isAsked = true;
    await released;
    return answer;
  };
  await worker.step();
  await eventually("the look-up", async () => (isAsked ? true : undefined));
  await whileAsked(id);
  release();
  await worker.idle();
  await worker.drain();
  return id;
}

for (const [what, code, reason] of [
  ["the same code", "RACED-1", "duplicate"],
  ["another code", "RACED-2", "late"],
] as const)
  for (const [when, waitMs] of [
    ["while its worker has the order", 0],
    ["after its worker has lost the order", 60_000],
  ] as const)
    test(`${what}, sent by the supplier ${when}, goes to quarantine, and the entered one stays`, async () => {
      const entered = `RACED-1 ${reason} ${waitMs}`;
      const id = await raceWith(sold(`${code} ${reason} ${waitMs}`), async (orderId) => {
        shop.clock.advance(waitMs);
        if (waitMs > 0) await createTestFulfiller(shop.scrip).drain();
        await enter(orderId, entered);
        if (waitMs > 0) await createTestFulfiller(shop.scrip).drain();
      });
      assert.equal((await shop.read(id)).status, "completed");
      const codes = (await shop.codesOf(id)).json().data;
      assert.deepEqual(
        codes.map((one: { code: string }) => one.code),
        [entered],
      );
      assert.deepEqual(await quarantined(id), [{ reason }]);
      await shop.assertHealthy();
    });

test("a code that was entered for an order that is delivered whole or not at all is taken back with it", async () => {
  const balance = await balanceOf(shop.scrip.db, shop.buyer);
  const lines = [{ productId: bought, quantity: 2 }];
  const placed = await postOrder(shop.scrip, shop.buyer, "whole", { lines, fulfilment: "all_or_nothing" });
  const { id } = placed.json().order;
  await worker.drain();
  await enter(id, "MAILED-WHOLE");
  supplier.answers = [refused("out_of_stock")];
  shop.clock.advance(3_600_000);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "refunded");
  assert.equal(await balanceOf(shop.scrip.db, shop.buyer), balance);
  assert.equal((await shop.codesOf(id)).statusCode, 409);
  assert.equal((await quarantined(id)).length, 1);
  await shop.assertHealthy();
});

test("a worker that settles first wins: the code is not entered any more", async () => {
  supplier.answers = [lost];
  const id = await soldOrder();
  supplier.answers = [sold("WORKER-FIRST")];
  shop.clock.advance(61_000);
  await worker.drain();
  await assert.rejects(enter(id, "TOO-LATE"), /has no purchase without an outcome/);
  assert.equal((await shop.read(id)).status, "completed");
  await shop.assertHealthy();
});
