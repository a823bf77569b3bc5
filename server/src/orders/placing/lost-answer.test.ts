import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD,
  CARD_PRICE_MINOR,
  createPlacementMaker,
  ordersOf,
  postOrder,
} from "../../../testing/builders/buyers.ts";
import { type FaultProxy, startFaultProxy } from "../../../testing/database/fault-proxy.ts";
import { audit } from "../../audit/audit.ts";
import { connectDatabase, type Db } from "../../db/database.ts";
import { createPlacementBatch } from "./placement-batch.ts";

/** Long enough for a busy machine: only a stalled statement is to meet it. */
const STATEMENT_TIMEOUT_MS = 1_500;
const RECOVERY_TIMEOUT_MS = 400;
/** A hanging test has found what it looks for. */
const HANGS = { timeout: 10_000 };

let proxy: FaultProxy;
let appDb: Db;
let scrip: TestApp;

before(async () => {
  scrip = await createTestApp({
    connect: connectThroughProxy,
    placementLimits: { recoveryTimeoutMs: RECOVERY_TIMEOUT_MS },
  });
  await addCard(scrip.db);
});

after(async () => {
  try {
    const { ok, invariants } = await audit(scrip.db);
    assert.ok(ok, JSON.stringify(invariants));
  } finally {
    await scrip.close();
    await proxy.close();
  }
});

async function connectThroughProxy(connectionString: string): Promise<Db> {
  proxy = await startFaultProxy(connectionString);
  appDb = connectDatabase({
    connectionString: proxy.connectionString,
    applicationName: "scrip test through proxy",
    poolSize: 4,
    onConnectionLost: () => {},
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  return appDb;
}

async function assertOnlyOrder(buyer: Buyer, orderId: string, funds = 100_000): Promise<void> {
  const orders = await ordersOf(scrip.db, buyer);
  assert.deepEqual(
    orders.map(({ id }) => id),
    [orderId],
  );
  assert.equal(await balanceOf(scrip.db, buyer), funds - CARD_PRICE_MINOR);
}

const COMMIT = /^commit$/;
const STATEMENTS = [/^begin/, /begin_placement_batch/, /insert into orders/, COMMIT];

for (const statement of STATEMENTS) {
  for (const kind of ["cut-before", "lose-answer"] as const) {
    test(`${kind} at ${statement}: the caller gets 202, and there is one order`, HANGS, async () => {
      const buyer = await addBuyer(scrip);
      const fault = proxy.arm(statement, kind);
      const reply = await postOrder(scrip, buyer, "once");
      assert.equal(reply.statusCode, 202, reply.body);
      await fault.struck;
      assert.equal(reply.headers["idempotent-replayed"], undefined, "the caller's own order is not a replay");
      const { order } = reply.json();
      assert.equal(order.total.amount, CARD_PRICE_MINOR);
      await assertOnlyOrder(buyer, order.id);

      const again = await postOrder(scrip, buyer, "once");
      assert.equal(again.headers["idempotent-replayed"], "true");
      assert.deepEqual(again.json().order, order);
      await assertOnlyOrder(buyer, order.id);
    });
  }
}

for (const kind of ["stall", "stall-answer"] as const) {
  test(`${kind} at COMMIT on a connection that never breaks: the caller still gets 202`, HANGS, async () => {
    const buyer = await addBuyer(scrip);
    const fault = proxy.arm(COMMIT, kind);
    const reply = await postOrder(scrip, buyer, "once");
    assert.equal(reply.statusCode, 202, reply.body);
    await fault.struck;
    await assertOnlyOrder(buyer, reply.json().order.id);
  });
}

for (const kind of ["cut-before", "lose-answer"] as const) {
  test(
    `${kind} at COMMIT of a database that stays down: 503, and the retry finds or places the one order`,
    HANGS,
    async () => {
      const buyer = await addBuyer(scrip);
      const fault = proxy.arm(COMMIT, kind);
      void fault.struck.then(() => proxy.goAway());
      const begunMs = performance.now();
      const reply = await postOrder(scrip, buyer, "once");
      assert.ok(
        performance.now() - begunMs >= RECOVERY_TIMEOUT_MS,
        "it was retried for as long as the limit allows",
      );
      assert.deepEqual([reply.statusCode, reply.json().code], [503, "service_unavailable"]);
      assert.match(String(reply.headers["retry-after"]), /^[0-9]+$/);
      const unavailable = await postOrder(scrip, buyer, "once");
      assert.equal(unavailable.statusCode, 503);
      const placed = (await ordersOf(scrip.db, buyer)).map(({ id }) => id);
      assert.equal(placed.length, kind === "lose-answer" ? 1 : 0);

      await proxy.comeBack();
      const retry = await postOrder(scrip, buyer, "once");
      assert.equal(retry.statusCode, 202, retry.body);
      const { id } = retry.json().order;
      assert.equal(retry.headers["idempotent-replayed"], kind === "lose-answer" ? "true" : undefined);
      assert.equal(id, placed[0] ?? id);
      await assertOnlyOrder(buyer, id);
    },
  );
}

for (const kind of ["cut-before", "lose-answer"] as const) {
  test(`${kind} at COMMIT of a batch: each member gets its own correct decision`, HANGS, async () => {
    const [rich, poor] = [await addBuyer(scrip), await addBuyer(scrip, "5.00")];
    const submit = createPlacementBatch(appDb, scrip.clock);
    const make = await createPlacementMaker(scrip.db);
    const placements = [
      make(rich, "a", 1),
      make(poor, "a", 2),
      make(rich, "a", 1),
      make(rich, "b", 3),
      make(rich, "a", 4),
      make(poor, "c", 1),
    ];
    const fault = proxy.arm(COMMIT, kind);
    const decisions = await Promise.all(placements.map(submit));
    await fault.struck;
    const [a, poorA, , b] = placements.map(({ orderId }) => orderId);
    // The second attempt finds what the first has committed as bound. The order's own id shows whose it is.
    const told = decisions.map((one) => ("order" in one ? [one.order.id, one.order.totalMinor] : one.kind));
    assert.deepEqual(told, [[a, 250n], [poorA, 500n], [a, 250n], [b, 750n], "conflict", "refused"]);

    const [richOrders, poorOrders] = [await ordersOf(scrip.db, rich), await ordersOf(scrip.db, poor)];
    assert.deepEqual(
      [...richOrders, ...poorOrders].map(({ id }) => id),
      [a, b, poorA],
    );
    assert.equal(new Set([...richOrders, ...poorOrders].map((one) => one.transaction)).size, 1, "one batch");
    assert.equal(await balanceOf(scrip.db, rich), 100_000 - 1_000);
    assert.equal(await balanceOf(scrip.db, poor), 0);
  });
}

test(
  "a database outage while a batch is written in parts is waited for once, not for each wallet",
  HANGS,
  async (t) => {
    const buyers = await Promise.all(Array.from({ length: 6 }, () => addBuyer(scrip)));
    const make = await createPlacementMaker(scrip.db);
    const submit = createPlacementBatch(appDb, scrip.clock, { recoveryTimeoutMs: RECOVERY_TIMEOUT_MS });
    await scrip.db.rows(sql`alter table orders add constraint orders_poison check (reference <> 'poison')`);
    t.after(() => scrip.db.rows(sql`alter table orders drop constraint orders_poison`));
    const placements = buyers.map((buyer, index) => make(buyer, "a", 1, index === 3 ? "poison" : "fine"));

    void proxy.arm(/^rollback$/, "cut-before").struck.then(() => proxy.goAway());
    const begunMs = performance.now();
    const lost = await Promise.all(placements.map(submit));
    assert.deepEqual(new Set(lost.map(({ kind }) => kind)), new Set(["failed"]));
    assert.ok(
      performance.now() - begunMs < 3 * RECOVERY_TIMEOUT_MS,
      "no one waited for the others' recovery",
    );

    await proxy.comeBack();
    const kinds = (await Promise.all(placements.map(submit))).map(({ kind }) => kind);
    assert.deepEqual(kinds, ["placed", "placed", "placed", "failed", "placed", "placed"]);
  },
);

test(
  "many callers whose responses are lost repeatedly: one order each, returned to the right caller",
  HANGS,
  async () => {
    const buyers = await Promise.all([1, 2, 3, 4].map(() => addBuyer(scrip)));
    const calls = Array.from({ length: 60 }, (_, index) => ({
      buyer: buyers[index % buyers.length] as Buyer,
      idempotencyKey: `key-${index}`,
      quantity: 1 + (index % 7),
    }));
    const faults = Array.from({ length: 6 }, (_, index) =>
      proxy.arm(COMMIT, index % 2 === 0 ? "lose-answer" : "cut-before"),
    );
    const replies = await Promise.all(
      calls.map(({ buyer, idempotencyKey, quantity }) =>
        postUntilPlaced(buyer, idempotencyKey, { lines: [{ productId: CARD, quantity }] }),
      ),
    );
    await Promise.all(faults.map((fault) => fault.struck));
    const placed = (await Promise.all(buyers.map((buyer) => ordersOf(scrip.db, buyer)))).flat();
    const stored = new Map(placed.map((order) => [order.id, order]));
    assert.equal(placed.length, calls.length);
    calls.forEach(({ idempotencyKey, quantity }, index) => {
      const { order } = replies[index]?.json() ?? {};
      assert.equal(stored.get(order.id)?.idempotencyKey, idempotencyKey);
      assert.equal(order.total.amount, quantity * CARD_PRICE_MINOR);
    });
  },
);

/** One batch can meet so many faults in a row that its recovery time runs out. */
async function postUntilPlaced(buyer: Buyer, idempotencyKey: string, body: object) {
  for (;;) {
    const reply = await postOrder(scrip, buyer, idempotencyKey, body);
    if (reply.statusCode !== 503) return reply;
  }
}
