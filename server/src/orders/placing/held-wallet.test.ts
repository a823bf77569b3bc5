import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  ordersOf,
  postOrder,
} from "../../../testing/builders/buyers.ts";
import { eventually } from "../../../testing/eventually.ts";
import { audit } from "../../audit/audit.ts";
import { lockWallet } from "../../wallet/queries.ts";

/** The first of them may wait once, together with the held one, until that is known to be held. */
const OTHERS_WAIT_AT_MOST_MS = 2_000;
/** Less than a batch waits for a lock, and much more than an order takes. */
const SLOW_MS = 300;
const GIVE_UP_AFTER_MS = 5_000;
const GIVE_UP_AT_MOST_AFTER_MS = 9_000;

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

/** Locks the wallets in a separate transaction until they are released. */
async function hold(...buyers: Buyer[]): Promise<() => Promise<void>> {
  const locked = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const ended = scrip.db.transaction(async (tx) => {
    for (const buyer of buyers) await lockWallet(tx, buyer);
    locked.resolve();
    await released.promise;
  });
  await Promise.race([locked.promise, ended]);
  return () => {
    released.resolve();
    return ended;
  };
}

/** Which statements wait for a lock now; the same wait has the same name. */
const lockWaits = async (): Promise<string[]> => {
  const rows = await scrip.db.rows<{ wait: string }>(sql`
    select pid || ' since ' || query_start as wait from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`);
  return rows.map(({ wait }) => wait);
};

const someoneWaitsForALock = () =>
  eventually("a batch waits for the wallet's lock", async () =>
    (await lockWaits()).length > 0 ? true : undefined,
  );

const timed = async <T>(work: Promise<T>): Promise<{ result: T; tookMs: number }> => {
  const begunMs = performance.now();
  return { result: await work, tookMs: performance.now() - begunMs };
};

test("a locked wallet delays only its own orders, which are given up after five seconds", async (t) => {
  const held = await addBuyer(scrip);
  const others = await Promise.all([1, 2, 3].map(() => addBuyer(scrip, "100000.00")));
  const release = await hold(held);
  t.after(release);
  const first = timed(postOrder(scrip, held, "first"));
  await someoneWaitsForALock();
  const own = [first, timed(postOrder(scrip, held, "first")), timed(postOrder(scrip, held, "second"))];

  let settled = false;
  const ownReplies = Promise.all(own).finally(() => {
    settled = true;
  });
  const waitsMs: number[] = [];
  let overtaking = 0;
  let round = 0;
  for (; !settled; round += 1) {
    const waits = await lockWaits();
    const replies = await Promise.all(
      others.map((other) => timed(postOrder(scrip, other, `round-${round}`))),
    );
    for (const { result, tookMs } of replies) {
      assert.equal(result.statusCode, 202, result.body);
      waitsMs.push(tookMs);
    }
    if ((await lockWaits()).some((wait) => waits.includes(wait))) overtaking += 1;
  }
  const longestMs = Math.max(...waitsMs);
  assert.ok(longestMs < OTHERS_WAIT_AT_MOST_MS, `another reseller's order waited ${longestMs} ms`);
  // The first round finds out that the wallet is held. Later ones do not wait for it again; a busy machine may hold up two.
  const slow = waitsMs.filter((ms) => ms > SLOW_MS).length;
  assert.ok(slow <= 3 * others.length, `${slow} orders of other resellers waited`);
  // Orders that were placed between the beginning and the end of one wait did not wait for the same lock.
  assert.ok(overtaking > 0.75 * round, `${overtaking} of ${round} rounds did not wait for the held wallet`);

  const told = (await ownReplies).map(({ result, tookMs }) => {
    assert.ok(tookMs >= GIVE_UP_AFTER_MS && tookMs < GIVE_UP_AT_MOST_AFTER_MS, `given up after ${tookMs} ms`);
    assert.equal(result.headers["retry-after"], "1");
    return [result.statusCode, result.json().code];
  });
  assert.deepEqual(told, [
    [503, "service_unavailable"],
    [409, "idempotency_in_progress"],
    [503, "service_unavailable"],
  ]);
  assert.deepEqual(await ordersOf(scrip.db, held), []);
  assert.equal(await balanceOf(scrip.db, held), 100_000);

  await release();
  assert.equal((await postOrder(scrip, held, "first")).statusCode, 202);
  assert.equal((await ordersOf(scrip.db, held)).length, 1);
});

test("many locked wallets delay no one else, and their orders are placed if they are released in time", async (t) => {
  const held = await Promise.all(Array.from({ length: 40 }, () => addBuyer(scrip)));
  const other = await addBuyer(scrip);
  const release = await hold(...held);
  t.after(release);
  const own = Promise.all(held.flatMap((one) => ["a", "b"].map((key) => postOrder(scrip, one, key))));
  await someoneWaitsForALock();
  const { result, tookMs } = await timed(postOrder(scrip, other, "a"));
  assert.equal(result.statusCode, 202, result.body);
  assert.ok(tookMs < OTHERS_WAIT_AT_MOST_MS, `the other reseller's order waited ${tookMs} ms`);

  await release();
  for (const reply of await own) assert.equal(reply.statusCode, 202, reply.body);
  for (const one of held) assert.equal((await ordersOf(scrip.db, one)).length, 2);
});
