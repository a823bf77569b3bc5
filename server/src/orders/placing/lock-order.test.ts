import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestApp, type TestApp } from "../../../testing/app/test-app.ts";
import { addOrder } from "../../../testing/builders/builders.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  createPlacementMaker,
} from "../../../testing/builders/buyers.ts";
import { countWaiting } from "../../../testing/database/count-waiting.ts";
import { eventually } from "../../../testing/eventually.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { createRandom, SEED } from "../../../testing/seed.ts";
import { audit } from "../../audit/audit.ts";
import { connectDatabase, type Db } from "../../db/database.ts";
import { errorCodeOf } from "../../db/database-errors.ts";
import { findOwners } from "../../fulfilment/refund/refund-queries.ts";
import type { Tenant } from "../../http/caller.ts";
import { moveFunds } from "../../wallet/move-funds.ts";
import { lockWallet, lockWalletsOf } from "../../wallet/queries.ts";
import type { Placement } from "./decide-placements.ts";
import { createPlacementBatch } from "./placement-batch.ts";
import { beginPlacements } from "./placement-queries.ts";

const ROUNDS = sizeFor("soak", { share: 25, wide: 40, full: 150 });
const WALLETS = 24;
const FUNDS_MINOR = 10_000_000;

let scrip: TestApp;

before(async () => {
  scrip = await createTestApp();
  await addCard(scrip.db);
  // A deadlock must be detected as one: by default the lock timeout would expire first.
  const [row] = await scrip.db.rows<{ name: string }>(sql`select current_database() as name`);
  await scrip.db.rows(raw(`alter database ${row?.name} set deadlock_timeout = '10ms'`));
});

after(async () => {
  try {
    const { ok, invariants } = await audit(scrip.db);
    assert.ok(ok, JSON.stringify(invariants));
  } finally {
    await scrip.close();
  }
});

/**
 * Another API process from the database's point of view: separate connections. Records the failures of its
 * transactions.
 */
function openNode(failures: string[]): Db {
  const db = connectDatabase({
    connectionString: scrip.connectionString,
    applicationName: "scrip test node",
    poolSize: 2,
    onConnectionLost: () => {},
  });
  const recordFailure = (error: unknown): never => {
    failures.push(errorCodeOf(error));
    throw error;
  };
  return {
    ...db,
    transaction: (work) => db.transaction(work).catch(recordFailure),
    shortTransaction: (first, work) => db.shortTransaction(first, work).catch(recordFailure),
    wholeTransaction: (...args) => db.wholeTransaction(...args).catch(recordFailure),
  };
}

async function countDeadlocks(): Promise<number> {
  const [row] = await scrip.db.rows<{ deadlocks: bigint }>(
    sql`select deadlocks from pg_stat_database where datname = current_database()`,
  );
  return Number(row?.deadlocks);
}

test("batches of two nodes over the same wallets in opposite order never deadlock", async () => {
  const random = createRandom(SEED);
  const buyers = await Promise.all(Array.from({ length: WALLETS }, () => addBuyer(scrip, "100000.00")));
  const make = await createPlacementMaker(scrip.db);
  const failures: string[] = [];
  const nodes = [openNode(failures), openNode(failures)];
  const submits = nodes.map((db) => createPlacementBatch(db, scrip.clock, { lockTimeoutMs: 10_000 }));
  let placed = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    const arrived = buyers.filter(() => random.chance(0.8)).map((buyer) => make(buyer, `${round} a`));
    const opposite = buyers
      .filter(() => random.chance(0.8))
      .map((buyer) => make(buyer, `${round} b`))
      .reverse();
    const decisions = await Promise.all(
      [arrived, opposite].map((all, index) => submitAll(submits[index], all)),
    );
    for (const { kind } of decisions.flat()) assert.equal(kind, "placed", `SEED=${SEED} round ${round}`);
    placed += decisions.flat().length;
    // The operator's wallet changes take the lock in the same way.
    if (random.chance(0.2)) await credit(random.pick(buyers));
  }
  // A backend reports its deadlocks at the latest when it ends.
  await Promise.all(nodes.map((db) => db.close()));
  assert.deepEqual(failures, [], `SEED=${SEED}`);
  assert.equal(await countDeadlocks(), 0, `SEED=${SEED}`);
  const balances = await Promise.all(buyers.map((buyer) => balanceOf(scrip.db, buyer)));
  const spent = WALLETS * FUNDS_MINOR + credits - balances.reduce((sum, balance) => sum + balance, 0);
  assert.equal(spent, placed * 250, `SEED=${SEED}`);
});

/** Whether a lock can be had at once while another transaction waits for the first of several. */
async function assertLocksInOrder(
  first: Tenant,
  second: Tenant,
  lockAll: () => Promise<unknown>,
): Promise<void> {
  let waiting: Promise<unknown> | undefined;
  await scrip.db.transaction(async (tx) => {
    await lockWallet(tx, first);
    waiting = lockAll();
    await eventually("the other waits", async () => ((await countWaiting(scrip.db)) > 0 ? true : undefined));
    await tx.rows(sql`
      select from wallets where reseller_id = ${second.resellerId} and environment = ${second.environment}
      for update nowait`);
  });
  await waiting;
}

test("placements, freezes and refunds lock wallets in one order: by reseller, then by environment", async () => {
  const [one, other] = [await addBuyer(scrip, "10.00"), await addBuyer(scrip, "10.00")];
  const [low, high] = one.resellerId < other.resellerId ? [one, other] : [other, one];
  const make = await createPlacementMaker(scrip.db);
  const { db } = scrip;
  await assertLocksInOrder(low, high, () =>
    db.transaction((tx) =>
      tx.rows(beginPlacements([make(high, "h"), make(low, "l")], scrip.clock.now(), 5_000)),
    ),
  );
  await assertLocksInOrder(low, { ...low, environment: "test" }, () =>
    db.transaction((tx) => lockWalletsOf(tx, low.resellerId)),
  );
  for (const [id, buyer] of [
    ["ord_a", high],
    ["ord_b", low],
  ] as const)
    await addOrder(db, { ...buyer, id });
  const owners = await db.transaction((tx) => findOwners(tx, ["ord_a", "ord_b"]));
  assert.deepEqual(
    owners.map(({ id }) => id),
    ["ord_b", "ord_a"],
  );
  await db.rows(sql`delete from order_lines where order_id in ('ord_a', 'ord_b')`);
  await db.rows(sql`delete from orders where id in ('ord_a', 'ord_b')`);
});

test("the lock timeout of a batch ends with its transaction", async () => {
  const buyer = await addBuyer(scrip, "10.00");
  const make = await createPlacementMaker(scrip.db);
  const db = connectDatabase({
    connectionString: scrip.connectionString,
    applicationName: "scrip test node",
    poolSize: 1,
    onConnectionLost: () => {},
  });
  const shown = async () => (await db.rows(sql`show lock_timeout`))[0];
  const before = await shown();
  const { kind } = await createPlacementBatch(db, scrip.clock)(make(buyer, "timed"));
  assert.deepEqual([kind, await shown()], ["placed", before]);
  await db.close();
});

const submitAll = (submit: ReturnType<typeof createPlacementBatch> | undefined, placements: Placement[]) =>
  Promise.all(placements.map((placement) => submit?.(placement) ?? assert.fail()));

let credits = 0;

async function credit(buyer: Buyer): Promise<void> {
  await moveFunds(scrip.db, scrip.clock, buyer, { direction: "credit", amount: "1.00", note: "" });
  credits += 100;
}
