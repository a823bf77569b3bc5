import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import { createTestFulfiller } from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import type { Tx } from "../../db/database.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { holdOrder } from "../operate/hold-order.ts";
import { lockOrder } from "../operate/operator-queries.ts";
import { refundOrder } from "../refund/refund-order.ts";
import { settleOrders } from "../settle/settle-orders.ts";
import { lockTakenOrders } from "../settle/settle-queries.ts";
import { claimDueOrders, renewLeases } from "./claim-queries.ts";
import { takeOrders } from "./take-orders.ts";

let shop: Shop;
let first: string;
let second: string;
before(async () => {
  shop = await openShop();
  first = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  second = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  assert.ok(first < second);
});
after(() => shop.close());
beforeEach(async () => {
  shop.clock.advance(3_600_000);
  await shop.scrip.db.rows(sql`update order_work set due_at = 'infinity'`);
});

const take = () => takeOrders(shop.scrip.db, shop.clock.now(), 10, FULFILMENT_LIMITS);

/** What a worker would do now for each unit of the one order that is due. */
const plansNow = async () => {
  const { orders } = await take();
  return orders.flatMap(({ planned }) =>
    planned.map(({ plan }) => (plan.kind === "buy" ? plan.route.supplierId : plan.kind)),
  );
};
const workOf = (orderIds: readonly string[]) =>
  shop.scrip.db.rows<{ id: string; token: string | null; dueAt: Date }>(sql`
    select order_id as id, lease_token as token, due_at as "dueAt" from order_work
    where order_id = any(${orderIds}) order by order_id`);

test("the route with the lowest priority comes first, whatever the ids of the suppliers are", async () => {
  await shop.order([await shop.addBought(second, first), 1]);
  assert.deepEqual(await plansNow(), [second]);
});

test("a supplier that was disabled after the placement is not asked", async () => {
  const { db } = shop.scrip;
  await shop.order([await shop.addBought(first, second), 1]);
  await db.rows(sql`update suppliers set enabled = false where id = ${first}`);
  const plans = await plansNow();
  await db.rows(sql`update suppliers set enabled = true where id = ${first}`);
  assert.deepEqual(plans, [second]);
});

test("a supplier whose breaker is open rests until the time is over", async () => {
  const { db } = shop.scrip;
  await shop.order([await shop.addBought(first, second), 1]);
  const now = shop.clock.now();
  await db.rows(sql`update suppliers set open_until = ${new Date(now.getTime() + 1)} where id = ${first}`);
  assert.deepEqual(await plansNow(), [second]);
  await shop.order([await shop.addBought(first, second), 1]);
  await db.rows(sql`update suppliers set open_until = ${now} where id = ${first}`);
  assert.deepEqual(await plansNow(), [first]);
  await db.rows(sql`update suppliers set open_until = null where id = ${first}`);
});

test("a renewal passes over an order that is being settled, and renews the others", async () => {
  const { db } = shop.scrip;
  const product = await shop.addBought(first);
  const ids = [await shop.order([product, 1]), await shop.order([product, 1])].sort();
  const { token } = await take();
  const [held] = await workOf(ids);
  const until = new Date(shop.clock.now().getTime() + 99_000);
  await db.transaction(async (settling) => {
    await settling.rows(sql`select from order_work where order_id = ${ids[0]} for update`);
    await db.transaction(async (tx) => {
      await tx.rows(sql`set local lock_timeout = '1s'`);
      await renewLeases(
        tx,
        ids.map((orderId) => ({ orderId, token })),
        until,
      );
    });
  });
  const renewed = [held, { id: ids[1], token, dueAt: until }];
  assert.deepEqual(await workOf(ids), renewed);
  // Another worker's lease is not renewed.
  const stranger = crypto.randomUUID();
  const strange = ids.map((orderId) => ({ orderId, token: stranger }));
  await renewLeases(db, strange, new Date(until.getTime() + 1));
  assert.deepEqual(await workOf(ids), renewed);
});

test("a worker takes other orders while one is locked", async () => {
  const { db } = shop.scrip;
  const product = await shop.addBought(first);
  const ids = [await shop.order([product, 1]), await shop.order([product, 1])].sort();
  const now = shop.clock.now();
  const claim = { token: crypto.randomUUID(), now, leasedUntil: now, limit: 10, unitsMax: 10 };
  const claimed = await db.transaction(async (other) => {
    await other.rows(sql`select from order_work where order_id = ${ids[0]} for update`);
    return db.transaction(async (tx) => {
      await tx.rows(sql`set local lock_timeout = '1s'`);
      return claimDueOrders(tx, claim);
    });
  });
  assert.deepEqual(claimed, [ids[1]]);
});

test("the locks of the operator and of a settlement keep others from the order and from its work", async () => {
  const { db } = shop.scrip;
  const orderId = await shop.order([await shop.addBought(first), 1]);
  const { token } = await take();
  const locks = [
    (tx: Tx) => lockOrder(tx, orderId),
    async (tx: Tx) => assert.equal((await lockTakenOrders(tx, [{ orderId, token }])).length, 1),
  ];
  const others = [
    sql`select from order_work where order_id = ${orderId} for update nowait`,
    sql`select from orders where id = ${orderId} for update nowait`,
  ];
  for (const lock of locks)
    await db.transaction(async (tx) => {
      await lock(tx);
      for (const other of others) await assert.rejects(db.rows(other), { code: "55P03" });
    });
  const stranger = { orderId, token: crypto.randomUUID() };
  assert.deepEqual(await db.transaction((tx) => lockTakenOrders(tx, [stranger])), []);
});

test("a worker takes no further order once those before it have enough units", async () => {
  const { db } = shop.scrip;
  const product = await shop.addBought(first);
  for (const units of [2, 3, 1]) await shop.order([product, units]);
  const now = shop.clock.now();
  const claim = { token: crypto.randomUUID(), now, leasedUntil: now, limit: 10 };
  const counts = async (unitsMax: number) => {
    const ids = await claimDueOrders(db, { ...claim, unitsMax });
    await db.rows(sql`update order_work set due_at = 'infinity' where order_id <> all(${ids})`);
    return ids.length;
  };
  assert.equal(await counts(3), 2);
  assert.equal(await counts(2), 1);
});

test("the time of the last change never runs backwards under a worker whose clock is slow", async () => {
  const { db } = shop.scrip;
  const slow = createHandClock(new Date(shop.clock.now().getTime() - 60_000));
  const worker = createTestFulfiller(shop.scrip, { changes: { clock: slow } });
  const delivered = await shop.order([await shop.addStocked(2), 2]);
  // The worker has no supplier to ask.
  const failed = await shop.order([await shop.addBought(first), 1]);
  const partial = await shop.order([await shop.addStocked(1), 2]);
  const ids = [delivered, failed, partial];
  const changesOf = () =>
    db.rows<{ status: string; isLater: boolean }>(sql`
      select o.status, o.updated_at >= o.created_at as "isLater"
      from unnest(${ids}::text[]) with ordinality as asked (id, at) join orders o on o.id = asked.id order by asked.at`);
  await db.rows(sql`update order_work set due_at = ${slow.now()} where order_id = any(${ids})`);
  await worker.drain();
  assert.deepEqual(await changesOf(), [
    { status: "completed", isLater: true },
    { status: "refunded", isLater: true },
    { status: "completed", isLater: true },
  ]);
  await refundOrder(db, slow, { orderId: delivered, lines: undefined, reason: "late" });
  assert.deepEqual((await changesOf())[0], { status: "refunded", isLater: true });
});

test("a refund that is put on hold while a worker has the failed order is not paid", async () => {
  const { db } = shop.scrip;
  const orderId = await shop.order([await shop.addBought(first), 1]);
  const worker = createTestFulfiller(shop.scrip);
  while ((await shop.read(orderId)).status !== "failed") {
    await worker.step();
    await worker.idle();
  }
  const { token } = await take();
  await holdOrder(db, shop.clock, orderId, true);
  const settled = await settleOrders(worker.deps, [{ orderId, token, outcomes: [] }], shop.clock.now());
  assert.deepEqual(settled.endings, []);
  assert.equal((await shop.read(orderId)).status, "failed");
});

test("a failed order that only waits for its refund keeps the time of its last change", async () => {
  const { db } = shop.scrip;
  const slow = createHandClock(new Date(shop.clock.now().getTime() - 60_000));
  const id = await shop.order([await shop.addBought(first), 1]);
  await db.rows(sql`update orders set refund_held = true where id = ${id}`);
  await db.rows(sql`update order_work set due_at = ${slow.now()} where order_id = ${id}`);
  await createTestFulfiller(shop.scrip, { changes: { clock: slow } }).drain();
  const rows = await db.rows(
    sql`select status, updated_at >= created_at as "isLater" from orders where id = ${id}`,
  );
  assert.deepEqual(rows, [{ status: "failed", isLater: true }]);
});
