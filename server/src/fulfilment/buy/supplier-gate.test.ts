import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { addSupplierRow } from "../../../testing/builders/supply-builders.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { createHandClock } from "../../../testing/hand-clock.ts";
import { createRandom, SEED } from "../../../testing/seed.ts";
import type { Db, Tx } from "../../db/database.ts";
import { FULFILMENT_LIMITS } from "../limits.ts";
import { recordAnswer, recordFailure, reserveCalls } from "./supplier-gate.ts";

const CALLERS = 6;
const BURST_MS = 1_000;
const limits = { ...FULFILMENT_LIMITS, breakerFailures: 3, breakerFirstMs: 1_000, breakerMaxMs: 10_000 };

let database: TestDatabase;
let db: Db;
before(async () => {
  database = await createTestDatabase();
  db = database.db;
});
after(() => database.drop());

async function addSupplier(ratePerSecond = 50): Promise<string> {
  const id = await addSupplierRow(db, { kind: "scrip" });
  await db.rows(sql`update suppliers set rate_per_second = ${ratePerSecond} where id = ${id}`);
  return id;
}

const reserve = (id: string, wanted: number, now: Date): Promise<number> =>
  db.transaction((tx) => reserveCalls(tx, id, wanted, now, limits));
const fail = async (id: string, times: number, now: Date): Promise<boolean[]> => {
  const opened: boolean[] = [];
  for (let time = 0; time < times; time += 1) opened.push(await recordFailure(db, id, now, limits));
  return opened;
};
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

for (const rate of [1, 3, 50, 700, 3_000, 10_000])
  test(`${rate} calls a second are never exceeded by several callers together (SEED=${SEED})`, async () => {
    const random = createRandom(SEED);
    const clock = createHandClock();
    const id = await addSupplier(rate);
    const granted: { atMs: number; calls: number }[] = [];
    for (let round = 0; round < 40; round += 1) {
      clock.advance(random.below(random.chance(0.2) ? 2_000 : 20));
      const now = clock.now();
      const wishes = Array.from({ length: CALLERS }, () => 1 + random.below(random.chance(0.3) ? rate : 3));
      const calls = sum(await Promise.all(wishes.map((wanted) => reserve(id, wanted, now))));
      assert.ok(calls <= sum(wishes));
      granted.push({ atMs: now.getTime(), calls });
    }
    for (const [from, first] of granted.entries()) {
      let calls = 0;
      for (const { atMs, calls: more } of granted.slice(from)) {
        calls += more;
        const ms = atMs - first.atMs;
        assert.ok(calls * 1_000 <= rate * (ms + BURST_MS), `${calls} calls within ${ms} ms`);
      }
    }
  });

test("a supplier that was left alone may be asked for a second's worth at once, and then at its rate", async () => {
  const clock = createHandClock();
  const id = await addSupplier(10);
  const take = (wanted: number) => reserve(id, wanted, clock.now());
  assert.equal(await take(25), 10);
  assert.equal(await take(1), 0);
  clock.advance(99);
  assert.equal(await take(1), 0);
  clock.advance(1);
  assert.equal(await take(2), 1);
  clock.advance(500);
  assert.equal(await take(3), 3);
  assert.equal(await take(3), 2);
  clock.advance(3_600_000);
  assert.equal(await take(25), 10);
});

test("a caller whose clock is behind takes nothing that was taken already", async () => {
  const clock = createHandClock();
  const id = await addSupplier(10);
  const before = clock.now();
  clock.advance(5_000);
  assert.equal(await reserve(id, 10, clock.now()), 10);
  assert.equal(await reserve(id, 10, before), 0);
  assert.equal(await reserve(id, 10, clock.now()), 0);
});

test("suppliers that are switched off or unknown grant nothing", async () => {
  const id = await addSupplierRow(db, { kind: "scrip", enabled: false });
  assert.equal(await reserve(id, 5, new Date()), 0);
  assert.equal(await reserve("sup_none", 5, new Date()), 0);
});

test("so many failures in a row open the breaker, and only the last of them says so", async () => {
  const clock = createHandClock();
  const id = await addSupplier();
  assert.deepEqual(await fail(id, limits.breakerFailures - 1, clock.now()), [false, false]);
  assert.equal(await reserve(id, 2, clock.now()), 2);
  assert.deepEqual(await fail(id, 2, clock.now()), [true, false]);
  assert.equal(await reserve(id, 2, clock.now()), 0);
});

test("an answer in between resets the count", async () => {
  const clock = createHandClock();
  const id = await addSupplier();
  await fail(id, limits.breakerFailures - 1, clock.now());
  await recordAnswer(db, id);
  assert.deepEqual(await fail(id, limits.breakerFailures - 1, clock.now()), [false, false]);
  assert.equal(await reserve(id, 1, clock.now()), 1);
});

test("when its pause is over exactly one call is let through, though ten ask at once", async () => {
  const clock = createHandClock();
  const id = await addSupplier();
  await fail(id, limits.breakerFailures, clock.now());
  const askTen = () => Promise.all(Array.from({ length: 10 }, () => reserve(id, 5, clock.now())));
  clock.advance(limits.breakerFirstMs - 1);
  assert.equal(sum(await askTen()), 0);
  clock.advance(1);
  assert.equal(sum(await askTen()), 1);
  clock.advance(limits.breakerFirstMs - 1);
  assert.equal(sum(await askTen()), 0, "no other call is let through before that one has an outcome");
  await recordAnswer(db, id);
  assert.equal(sum(await askTen()), 50);
});

test("a call that never tells how it went is followed by another one after a pause", async () => {
  const clock = createHandClock();
  const id = await addSupplier();
  await fail(id, limits.breakerFailures, clock.now());
  for (let probe = 0; probe < 3; probe += 1) {
    clock.advance(limits.breakerFirstMs);
    assert.equal(await reserve(id, 5, clock.now()), 1);
    assert.equal(await reserve(id, 5, clock.now()), 0);
  }
});

test("pauses double up to the longest, and an answer makes them short again", async () => {
  const clock = createHandClock();
  const id = await addSupplier();
  const pauseMs = async (): Promise<number> => {
    const [row] = await db.rows<{ openUntil: Date }>(
      sql`select open_until as "openUntil" from suppliers where id = ${id}`,
    );
    return (row?.openUntil.getTime() ?? 0) - clock.now().getTime();
  };
  await fail(id, limits.breakerFailures - 1, clock.now());
  const pauses: number[] = [];
  for (let failure = 0; failure < 40; failure += 1) {
    await fail(id, 1, clock.now());
    pauses.push(await pauseMs());
    clock.advance(pauses.at(-1) ?? 0);
    assert.equal(await reserve(id, 9, clock.now()), 1);
  }
  assert.deepEqual(pauses.slice(0, 6), [1_000, 2_000, 4_000, 8_000, 10_000, 10_000]);
  assert.equal(pauses.at(-1), limits.breakerMaxMs);
  await recordAnswer(db, id);
  await fail(id, limits.breakerFailures, clock.now());
  assert.equal(await pauseMs(), limits.breakerFirstMs);
});

const insertAttempt = (tx: Tx, orderId: string, supplierId: string) =>
  tx.rows(sql`
    insert into supplier_attempts (order_id, line_index, unit_index, number, environment, product_id, supplier_id, sku,
                                   status, failure_code, opened_at, resolved_at)
    select ${orderId}, 0, 0, coalesce(max(number), 0) + 1, 'live', 'card', ${supplierId}, 'sku', 'refused',
           'out_of_stock', now(), now()
    from supplier_attempts where order_id = ${orderId}`);

test("a purchase can be written while another transaction reserves calls at its supplier", async () => {
  const id = await addSupplier();
  await db.transaction(async (reserving) => {
    await reserveCalls(reserving, id, 1, new Date(), limits);
    await db.transaction(async (writing) => {
      await writing.rows(sql`set local lock_timeout = '5s'`);
      await insertAttempt(writing, "ord_written", id);
    });
  });
});

test("workers that reserve, write and tell at two suppliers never wait for one another in a circle", async () => {
  const ids = [await addSupplier(10_000), await addSupplier(10_000)].sort();
  const clock = createHandClock();
  const workOnOrder = async (orderId: string) => {
    await db.transaction(async (tx) => {
      for (const id of ids) await reserveCalls(tx, id, 1, clock.now(), limits);
      for (const id of ids) await insertAttempt(tx, orderId, id);
    });
    for (const id of ids) await recordFailure(db, id, clock.now(), limits);
    for (const id of ids) await recordAnswer(db, id);
    // As outcomes come: in any order.
    await db.transaction(async (tx) => {
      for (const id of ids.toReversed()) await insertAttempt(tx, orderId, id);
    });
  };
  for (let round = 0; round < 10; round += 1) {
    const orders = Array.from({ length: CALLERS * 2 }, (_, index) => `ord_${round}_${index}`);
    await Promise.all(orders.map(workOnOrder));
  }
});
