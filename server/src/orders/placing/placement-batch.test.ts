import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  CARD,
  createPlacementMaker,
  ordersOf,
  postOrder,
} from "../../../testing/builders/buyers.ts";
import { createRandom, SEED } from "../../../testing/seed.ts";
import { audit } from "../../audit/audit.ts";
import { revokeKey } from "../../keys/revoke-key.ts";
import { Problem } from "../../lib/problem.ts";
import { lockWallet } from "../../wallet/queries.ts";
import { type BatchDecision, createPlacementBatch, type PlacementLimits } from "./placement-batch.ts";

const FUNDS_MINOR = 100_000;

let scrip: TestApp;

before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
});

after(async () => {
  try {
    const { ok, invariants } = await audit(scrip.db);
    assert.ok(ok, JSON.stringify(invariants));
  } finally {
    await scrip.close();
  }
});

const createBatch = (limits: Partial<PlacementLimits> = {}) =>
  createPlacementBatch(scrip.db, scrip.clock, limits);

const kinds = (decisions: readonly BatchDecision[]): string[] => decisions.map(({ kind }) => kind);

const transactionsOf = async (...buyers: Buyer[]): Promise<string[]> =>
  (await Promise.all(buyers.map((buyer) => ordersOf(scrip.db, buyer)))).flat().map((one) => one.transaction);

test("in one batch each order is decided independently, and refused orders leave nothing behind", async () => {
  const [rich, poor, revoked] = [await addBuyer(scrip), await addBuyer(scrip, "5.00"), await addBuyer(scrip)];
  await revokeKey(scrip.db, scrip.clock, revoked.keyId);
  const make = await createPlacementMaker(scrip.db);
  const decisions = await Promise.all(
    [
      make(rich, "a"),
      make(poor, "too much", 3),
      make(poor, "just enough", 2),
      make(poor, "nothing left", 1),
      make(revoked, "a"),
      { ...make(rich, "unknown"), priced: new Problem("not_found", "Resource not found.") },
      { ...make(rich, "outdated"), catalogRevision: "0.0" },
      make(rich, "b", 2),
    ].map(createBatch()),
  );
  assert.deepEqual(kinds(decisions), [
    "placed",
    "refused",
    "placed",
    "refused",
    "revoked",
    "refused",
    "stale",
    "placed",
  ]);
  assert.equal(new Set(await transactionsOf(rich, poor)).size, 1, "they were one batch");
  assert.deepEqual(
    (await ordersOf(scrip.db, rich)).map((one) => one.idempotencyKey),
    ["a", "b"],
  );
  assert.equal(await balanceOf(scrip.db, rich), FUNDS_MINOR - 750);
  assert.equal(await balanceOf(scrip.db, poor), 0);
  assert.equal(await balanceOf(scrip.db, revoked), FUNDS_MINOR);
});

test("the same key twice in one batch: one is placed, the other replays it, and a different request conflicts", async () => {
  const buyer = await addBuyer(scrip);
  const make = await createPlacementMaker(scrip.db);
  const placements = [make(buyer, "same"), make(buyer, "same"), make(buyer, "same", 2), make(buyer, "other")];
  const decisions = await Promise.all(placements.map(createBatch()));
  assert.deepEqual(kinds(decisions), ["placed", "replayed", "conflict", "placed"]);
  const [placed, replayed] = decisions;
  assert.ok(placed?.kind === "placed" && replayed?.kind === "replayed");
  assert.equal(replayed.order.id, placed.order.id);
  assert.equal((await ordersOf(scrip.db, buyer)).length, 2);
  assert.equal(await balanceOf(scrip.db, buyer), FUNDS_MINOR - 500);
});

test("duplicates that arrive together get the same order, and all but one are marked as replays", async () => {
  const buyer = await addBuyer(scrip);
  const replies = await Promise.all(Array.from({ length: 10 }, () => postOrder(scrip, buyer, "same")));
  assert.deepEqual(new Set(replies.map((reply) => reply.statusCode)), new Set([202]));
  assert.equal(new Set(replies.map((reply) => reply.json().order.id)).size, 1);
  assert.equal(replies.filter((reply) => reply.headers["idempotent-replayed"] === undefined).length, 1);
  assert.equal(await balanceOf(scrip.db, buyer), FUNDS_MINOR - 250);
});

test("no batch exceeds its maximum size, and every decision reaches its own caller", async () => {
  const [random, batchMax, count] = [createRandom(SEED), 32, 300];
  const buyers = await Promise.all([1, 2, 3, 4, 5].map(() => addBuyer(scrip)));
  const make = await createPlacementMaker(scrip.db);
  const placements = Array.from({ length: count }, (_, index) =>
    make(random.pick(buyers), `key-${index}`, 1 + random.below(5)),
  );
  const decisions = await Promise.all(placements.map(createBatch({ batchMax })));
  placements.forEach((placement, index) => {
    const decision = decisions[index];
    assert.ok(decision?.kind === "placed" && !(placement.priced instanceof Problem), `SEED=${SEED}`);
    assert.equal(decision.order.id, placement.orderId, `SEED=${SEED}`);
    assert.equal(decision.order.totalMinor, placement.priced.totalMinor, `SEED=${SEED}`);
  });
  const sizes = Map.groupBy(await transactionsOf(...buyers), (transaction) => transaction);
  assert.equal(Math.max(...[...sizes.values()].map((batch) => batch.length)), batchMax);
  assert.equal(sizes.size, Math.ceil(count / batchMax));
});

test("an order that the database refuses fails alone, and all others of its batch are placed", async (t) => {
  const [one, other] = [await addBuyer(scrip), await addBuyer(scrip)];
  const removePoison = await addPoison();
  t.after(removePoison);
  const make = await createPlacementMaker(scrip.db);
  const placements = [
    make(one, "a"),
    make(one, "b", 1, "poison"),
    make(other, "a"),
    make(one, "c", 2),
    make(one, "a"),
    make(other, "b", 500),
  ];
  const decisions = await Promise.all(placements.map(createBatch()));
  assert.deepEqual(kinds(decisions), ["placed", "failed", "placed", "placed", "replayed", "refused"]);
  assert.deepEqual(
    (await ordersOf(scrip.db, one)).map((order) => order.id),
    [placements[0]?.orderId, placements[3]?.orderId],
  );
  assert.equal(await balanceOf(scrip.db, one), FUNDS_MINOR - 750);
  assert.equal(await balanceOf(scrip.db, other), FUNDS_MINOR - 250);
});

test("POST /v1/orders returns 500 for an order that the database refuses, 202 for the others, and binds no key", async (t) => {
  const buyer = await addBuyer(scrip);
  const removePoison = await addPoison();
  t.after(removePoison);
  const body = (reference: string) => ({ lines: [{ productId: CARD, quantity: 1 }], reference });
  const references = ["fine", "poison", "fine", "fine", "poison", "fine"];
  const post = () =>
    Promise.all(references.map((reference, index) => postOrder(scrip, buyer, `${index}`, body(reference))));
  const replies = await post();
  assert.deepEqual(
    replies.map((reply) => [reply.statusCode, reply.json().code]),
    references.map((reference) => (reference === "poison" ? [500, "internal_error"] : [202, undefined])),
  );
  for (const reply of replies) assert.ok(!reply.body.includes("poison"), "internal details are not exposed");
  assert.match(scrip.logged(), /orders_poison/);
  assert.equal(await balanceOf(scrip.db, buyer), FUNDS_MINOR - 4 * 250);

  await removePoison();
  assert.deepEqual(new Set((await post()).map((reply) => reply.statusCode)), new Set([202]));
  assert.equal(await balanceOf(scrip.db, buyer), FUNDS_MINOR - 6 * 250);
});

/** Stands for any unforeseen effect of a value on the database. */
async function addPoison(): Promise<() => Promise<void>> {
  await scrip.db.rows(sql`alter table orders add constraint orders_poison check (reference <> 'poison')`);
  return async () => {
    await scrip.db.rows(sql`alter table orders drop constraint if exists orders_poison`);
  };
}

test("a full queue returns 503 service_unavailable immediately, and the queued orders are placed", async () => {
  const buyer = await addBuyer(scrip);
  const make = await createPlacementMaker(scrip.db);
  const submit = createBatch({ batchMax: 3, waitingMax: 4, lockTimeoutMs: 10_000 });
  const [waiting, refused] = await scrip.db.transaction(async (tx) => {
    await lockWallet(tx, buyer);
    const running = submit(make(buyer, "running"));
    await nextTurn();
    const queued = ["a", "b", "c", "d"].map((key) => submit(make(buyer, key)));
    const overflow = await Promise.allSettled(["e", "f"].map((key) => submit(make(buyer, key))));
    return [[running, ...queued], overflow];
  });
  for (const outcome of refused) {
    assert.ok(outcome.status === "rejected" && outcome.reason instanceof Problem);
    assert.deepEqual([outcome.reason.status, outcome.reason.code], [503, "service_unavailable"]);
    assert.deepEqual(outcome.reason.options.headers, { "retry-after": "1" });
  }
  assert.deepEqual(kinds(await Promise.all(waiting)), Array(5).fill("placed"));
  assert.deepEqual(
    (await ordersOf(scrip.db, buyer)).map((order) => order.idempotencyKey),
    ["running", "a", "b", "c", "d"],
  );
});

test("whatever characters a product name contains, the order next to it gets its own values", async () => {
  const buyer = await addBuyer(scrip);
  const make = await createPlacementMaker(scrip.db);
  const odd = make(buyer, "odd");
  assert.ok(!(odd.priced instanceof Problem));
  const lines = odd.priced.lines.map((line) => ({ ...line, name: '\u001f\u001e\u0001",{}\\N\u2028' }));
  const placements = [{ ...odd, priced: { ...odd.priced, lines } }, make(buyer, "plain", 2)];
  assert.deepEqual(kinds(await Promise.all(placements.map(createBatch()))), ["placed", "placed"]);
  const stored = await scrip.db.rows(sql`
    select l.order_id as "orderId", l.name = 'Card' as "isPlain", l.quantity, l.line_total_minor as "totalMinor"
    from order_lines l where l.reseller_id = ${buyer.resellerId} order by l.order_id`);
  assert.deepEqual(stored, [
    { orderId: placements[0]?.orderId, isPlain: false, quantity: 1, totalMinor: 250n },
    { orderId: placements[1]?.orderId, isPlain: true, quantity: 2, totalMinor: 500n },
  ]);
});
