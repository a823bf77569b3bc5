import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import sql from "sql-template-tag";
import {
  createTestFulfiller,
  type TestFulfiller,
  unitStatuses,
} from "../../../testing/builders/fulfilment.ts";
import { openShop, type Shop } from "../../../testing/builders/shop.ts";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { lost, notFound, refused, sold } from "../../../testing/upstream/scripted-supplier.ts";
import { CONDITIONS } from "../../alerts/conditions.ts";
import { countFacts } from "../../reports/count-facts.ts";
import { setNotFoundRule } from "../../suppliers/look-ups/not-found-rule.ts";
import { insertReversals } from "../../suppliers/reconcile/reconcile-queries.ts";
import type { LookUpOutcome, PurchaseOutcome, RemoteSupplier } from "../../suppliers/supplier.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { followWrittenOff } from "../operate/follow-written-off.ts";
import { retryOrder } from "../operate/hold-order.ts";
import { refundOrder } from "../refund/refund-order.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const BY = { actor: { kind: "command", id: "test" } } as const;
const RULE = { times: 1, overMs: MINUTE_MS, resendAfterMs: MINUTE_MS };

/** What a supplier has sold, what it answers instead, and when it was sent what. */
type Books = RemoteSupplier & {
  sold: Map<string, PurchaseOutcome>;
  sent: { reference: string; atMs: number }[];
  /** How many look-ups were answered. */
  looks: number;
  place(reference: string): PurchaseOutcome;
  find(reference: string): LookUpOutcome;
};

let shop: Shop;
let first: string;
let second: string;
let productId: string;
let books: Books;
let others: Books;
let worker: TestFulfiller;

const sells = (reference: string): PurchaseOutcome => sold(`code of ${reference}`);

function createBooks(place: Books["place"]): Books {
  const made: Books = {
    sold: new Map(),
    sent: [],
    looks: 0,
    place,
    find: (reference) => made.sold.get(reference) ?? notFound,
    async buy({ reference }) {
      made.sent.push({ reference, atMs: shop.clock.now().getTime() });
      const answer = made.place(reference);
      if (answer.kind === "delivered") made.sold.set(reference, answer);
      return answer;
    },
    async lookUp(reference) {
      made.looks += 1;
      return made.find(reference);
    },
  };
  return made;
}

const createWorker = (limits = {}) =>
  createTestFulfiller(shop.scrip, {
    suppliers: { [first]: books, [second]: others },
    limits: { breakerFailures: 1_000, ...limits },
  });

before(async () => {
  shop = await openShop();
});
after(() => shop.close());
beforeEach(async () => {
  // Nothing that was delivered before counts as recent.
  shop.clock.advance(2 * DAY_MS);
  const { db } = shop.scrip;
  first = await addSupplierRow(db, { kind: "reloadly" });
  second = await addSupplierRow(db, { kind: "scrip" });
  productId = await shop.addBought(first);
  books = createBooks(() => lost);
  others = createBooks(sells);
  worker = createWorker();
});

/** Lets time pass as for a worker that polls each second, until nothing is left to do or the time is over. */
async function pass(totalMs: number): Promise<void> {
  const endMs = shop.clock.now().getTime() + totalMs;
  for (;;) {
    await worker.drain();
    const [next] = await shop.scrip.db.rows<{ dueAt: Date | null }>(
      sql`select min(due_at) as "dueAt" from order_work`,
    );
    const nowMs = shop.clock.now().getTime();
    const leftMs = (next?.dueAt?.getTime() ?? Number.POSITIVE_INFINITY) - nowMs;
    if (nowMs + leftMs > endMs) break;
    shop.clock.advance(Math.max(leftMs, 1_000));
  }
  if (shop.clock.now().getTime() < endMs) shop.clock.advance(endMs - shop.clock.now().getTime());
}

const attemptsOf = async (id: string): Promise<string[]> => {
  const rows = await shop.scrip.db.rows<{ text: string }>(sql`
    select status || coalesce(' ' || not_found_state, '') as text from supplier_attempts
    where order_id = ${id} order by unit_index, number`);
  return rows.map(({ text }) => text);
};
const alerts = () => shop.scrip.db.rows(CONDITIONS.purchases_not_found.find(shop.clock.now(), 100));
const rule = (change: Parameters<typeof setNotFoundRule>[2], id = first) =>
  setNotFoundRule({ db: shop.scrip.db, clock: shop.clock }, id, change, BY);
/** A purchase that was delivered there a while ago. */
async function sellOne(): Promise<string> {
  const { place } = books;
  books.place = sells;
  const id = await shop.order([productId, 1]);
  await worker.drain();
  assert.equal((await shop.read(id)).status, "completed");
  books.place = place;
  shop.clock.advance(5 * MINUTE_MS);
  return id;
}

test("with one look-up, one minute and a lag of one minute an order that was never taken is paid back 150 s after it was placed", async () => {
  await rule(RULE);
  const placedMs = shop.clock.now().getTime();
  const id = await shop.order([productId, 1]);
  await pass(150_000);
  assert.equal((await shop.read(id)).status, "refunded");
  assert.deepEqual(await attemptsOf(id), ["not_made"]);
  const sentAfter = books.sent.map(({ atMs }) => atMs - placedMs);
  assert.equal(sentAfter.length, 2, sentAfter.join());
  assert.ok((sentAfter[1] ?? 0) - (sentAfter[0] ?? 0) >= RULE.resendAfterMs, sentAfter.join());
  await shop.assertHealthy();
});

test("by default it takes five look-ups over fifteen minutes, and then the next route is tried", async () => {
  const product = await shop.addBought(first, second);
  const id = await shop.order([product, 1]);
  await pass(15 * MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["open"]);
  await pass(5 * MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["not_made", "delivered"]);
  assert.equal((await shop.read(id)).status, "completed");
  const sent = books.sent.map(({ atMs }) => atMs);
  assert.ok(sent.slice(1).every((atMs, index) => atMs - (sent[index] ?? 0) >= MINUTE_MS));
  await shop.assertHealthy();
});

test("what arrives later goes to quarantine and is lost, also when the next route has delivered the unit", async () => {
  await rule(RULE);
  const product = await shop.addBought(first, second);
  const id = await shop.order([product, 1]);
  await pass(150_000);
  assert.deepEqual(await attemptsOf(id), ["not_made", "delivered"]);
  books.sold.set(`${id}.0.0.1`, sold("too late"));
  shop.clock.advance(10 * MINUTE_MS);
  await followWrittenOff(worker.deps);
  assert.deepEqual(await attemptsOf(id), ["quarantined", "delivered"]);
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["delivered"]);
  const codes = await shop.scrip.db.rows(
    sql`select state, quarantine_reason as reason from codes where order_id = ${id} order by state`,
  );
  assert.deepEqual(codes, [
    { state: "delivered", reason: null },
    { state: "quarantined", reason: "late" },
  ]);
  assert.match((await shop.codesOf(id)).body, /code of /);
  await shop.assertHealthy();
  // The supplier gives the money for the late one back. The unit is what the next route delivered, so there is nothing to pay back.
  const { db, clock } = { db: shop.scrip.db, clock: shop.clock };
  const late = { orderId: id, lineIndex: 0, unitIndex: 0, number: 1 };
  assert.deepEqual(await insertReversals(db, first, [late], clock.now()), []);
  assert.deepEqual(await db.rows(CONDITIONS.purchase_reversed.find(clock.now(), 100)), []);
  const charge = { orderId: id, lines: undefined, which: "reversed" as const, reason: "taken back" };
  await assert.rejects(refundOrder(db, clock, charge), /no unit that its supplier took back/);
  await shop.assertHealthy();
});

test("a late one that comes while the next route is asked does not end the unit", async () => {
  await rule(RULE);
  const product = await shop.addBought(first, second);
  others.place = () => lost;
  others.find = () => lost;
  const id = await shop.order([product, 1]);
  await pass(150_000);
  assert.deepEqual(await attemptsOf(id), ["not_made", "open"]);
  books.sold.set(`${id}.0.0.1`, sold("while another is asked"));
  await followWrittenOff(worker.deps);
  assert.deepEqual(await attemptsOf(id), ["quarantined", "open"]);
  assert.deepEqual(await unitStatuses(shop.scrip.db, id), ["waiting"]);
  others.find = sells;
  await pass(10 * MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["quarantined", "delivered"]);
  await shop.assertHealthy();
});

test("two purchases of a unit that both come late are lost, each counted once", async () => {
  await rule(RULE);
  const other = await addSupplierRow(shop.scrip.db, { kind: "scrip" });
  await rule(RULE, other);
  const silent = createBooks(() => lost);
  worker = createTestFulfiller(shop.scrip, {
    suppliers: { [first]: books, [other]: silent, [second]: others },
    limits: { breakerFailures: 1_000 },
  });
  const product = await shop.addBought(first, other, second);
  const id = await shop.order([product, 1]);
  await pass(300_000);
  assert.deepEqual(await attemptsOf(id), ["not_made", "not_made", "delivered"]);
  for (const [number, one] of [books, silent].entries()) {
    one.sold.set(`${id}.0.0.${number + 1}`, sold(`late from ${number}`));
    shop.clock.advance(10 * MINUTE_MS);
    await followWrittenOff(worker.deps);
    while (await countFacts({ db: shop.scrip.db, clock: shop.clock }));
    await shop.assertHealthy();
  }
  assert.deepEqual(await attemptsOf(id), ["quarantined", "quarantined", "delivered"]);
  const [row] = await shop.scrip.db.rows(sql`
    select sum(lost_units)::integer as units, sum(lost_minor)::integer as minor from report_lines
    where product_id = ${product}`);
  assert.deepEqual(row, { units: 2, minor: 160 });
});

test("it is followed for a day and never sent again; after that nobody asks", async () => {
  await rule(RULE);
  const id = await shop.order([productId, 1]);
  await pass(150_000);
  const sent = books.sent.length;
  for (let hour = 0; hour < 25; hour += 1) {
    shop.clock.advance(60 * MINUTE_MS);
    await followWrittenOff(worker.deps);
  }
  const { looks } = books;
  shop.clock.advance(DAY_MS);
  await followWrittenOff(worker.deps);
  assert.equal(books.looks, looks);
  assert.equal(books.sent.length, sent);
  assert.deepEqual(await attemptsOf(id), ["not_made"]);
  await shop.assertHealthy();
});

test("a supplier whose books are empty has refused nothing: the order waits with an alert, and goes on when they are whole", async () => {
  await sellOne();
  await rule(RULE);
  const { find } = books;
  books.find = () => notFound;
  const id = await shop.order([productId, 1]);
  await pass(30 * MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["open books_differ"]);
  assert.equal(books.sent.length, 2, "one was sold before, and this one is not sent again");
  assert.deepEqual(
    (await alerts()).map((one) => (one as { subject: string }).subject),
    [first],
  );
  books.find = find;
  await pass(150_000);
  assert.deepEqual(await attemptsOf(id), ["not_made"]);
  assert.deepEqual(await alerts(), []);
  await shop.assertHealthy();
});

test("books that stay empty until nothing recent is left in them have still refused nothing", async () => {
  await sellOne();
  await rule(RULE);
  books.find = () => notFound;
  const id = await shop.order([productId, 1]);
  await pass(10 * MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["open books_differ"]);
  shop.clock.advance(DAY_MS);
  await pass(10 * MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["open books_differ"]);
  assert.equal(books.sent.length, 2, "one was sold before, and this one is not sent again");
  assert.equal((await alerts()).length, 1);
  await retryOrder(shop.scrip.db, shop.clock, id);
  await pass(MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["not_made confirmed"]);
  await shop.assertHealthy();
});

test("a purchase that the empty books hid is delivered when they show it", async () => {
  await sellOne();
  await rule(RULE);
  const { find } = books;
  books.find = () => notFound;
  books.place = (reference) => {
    books.sold.set(reference, sells(reference));
    return lost;
  };
  const id = await shop.order([productId, 1]);
  await pass(10 * MINUTE_MS);
  books.find = find;
  await pass(10 * MINUTE_MS);
  assert.equal((await shop.read(id)).status, "completed");
  assert.equal(books.sent.length, 2);
  await shop.assertHealthy();
});

test("more than so many in an hour wait for a person; a retry counts them, and a write-off pays them back", async () => {
  await rule({ ...RULE, perHour: 2 });
  const ids = [];
  for (let count = 0; count < 4; count += 1) ids.push(await shop.order([productId, 1]));
  await pass(10 * MINUTE_MS);
  const states = await Promise.all(ids.map(attemptsOf));
  assert.deepEqual(states.flat().sort(), ["not_made", "not_made", "open too_many", "open too_many"]);
  const [alert] = (await alerts()) as { facts: { purchases: number } }[];
  assert.equal(alert?.facts.purchases, 2);
  // An hour later they still wait.
  const { sent } = books;
  const sends = sent.length;
  await pass(2 * 60 * MINUTE_MS);
  const waiting = ids.filter((_, index) => states[index]?.[0] === "open too_many");
  assert.deepEqual((await Promise.all(waiting.map(attemptsOf))).flat(), ["open too_many", "open too_many"]);
  assert.equal(sent.length, sends);
  const [retried = "", writtenOff = ""] = waiting;
  await retryOrder(shop.scrip.db, shop.clock, retried);
  await pass(MINUTE_MS);
  assert.deepEqual(await attemptsOf(retried), ["not_made confirmed"]);
  await refundOrder(shop.scrip.db, shop.clock, {
    ...{ orderId: writtenOff, lines: undefined, which: "unknown" as const },
    reason: "the supplier says no",
  });
  assert.equal((await shop.read(writtenOff)).status, "refunded");
  assert.deepEqual(await alerts(), []);
  assert.equal(sent.length, sends);
  await shop.assertHealthy();
});

test("two workers cannot both count the last one of an hour", async () => {
  await rule({ ...RULE, perHour: 3 });
  const ids = await Promise.all(Array.from({ length: 8 }, () => shop.order([productId, 1])));
  const workers = [worker, createWorker()];
  for (let second = 0; second < 150; second += 1) {
    await Promise.all(workers.map((one) => one.drain()));
    shop.clock.advance(1_000);
  }
  const states = (await Promise.all(ids.map(attemptsOf))).flat();
  assert.equal(states.filter((one) => one === "not_made").length, 3, states.join());
  assert.equal(states.filter((one) => one === "open too_many").length, 5, states.join());
  await shop.assertHealthy();
});

test("a write-off while the last look-up is under way stands, and the purchase is followed as written off", async () => {
  await rule(RULE);
  const id = await shop.order([productId, 1]);
  await pass(MINUTE_MS);
  books.find = () => {
    throw new Error("replaced below");
  };
  const original = books.lookUp;
  books.lookUp = async () => {
    await refundOrder(shop.scrip.db, shop.clock, {
      ...{ orderId: id, lines: undefined, which: "unknown" as const },
      reason: "written off",
    });
    books.lookUp = original;
    books.find = () => notFound;
    return notFound;
  };
  await pass(3 * MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["open"]);
  assert.equal((await shop.read(id)).status, "refunded");
  await shop.assertHealthy();
});

test("a refusal after doubts is still believed first, and a purchase that is found is delivered", async () => {
  await rule(RULE);
  const id = await shop.order([productId, 1]);
  await pass(30_000);
  books.place = () => refused("out_of_stock");
  await pass(3 * MINUTE_MS);
  assert.deepEqual(await attemptsOf(id), ["refused"]);
  assert.equal((await shop.read(id)).status, "refunded");
  await shop.assertHealthy();
});

test("one purchase that its supplier cannot tell about never opens the circuit breaker", async () => {
  await sellOne();
  books.place = () => lost;
  books.find = () => ({ kind: "unknown", reason: "nonsense" });
  worker = createWorker({ breakerFailures: 2 });
  await shop.order([productId, 1]);
  await pass(60 * MINUTE_MS);
  const [row] = await shop.scrip.db.rows<{ failures: number; openUntil: Date | null }>(sql`
    select consecutive_failures as failures, open_until as "openUntil" from suppliers where id = ${first}`);
  assert.deepEqual(row, { failures: 1, openUntil: null });
  books.place = sells;
  const next = await shop.order([productId, 1]);
  await worker.drain();
  assert.equal((await shop.read(next)).status, "completed");
  assert.ok(books.looks > FULFILMENT_LIMITS.breakerFailures);
});
