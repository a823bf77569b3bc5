import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestApp, type TestApp } from "../../testing/app/test-app.ts";
import {
  addBuyer,
  addCard,
  type Buyer,
  balanceOf,
  createPlacementMaker,
} from "../../testing/builders/buyers.ts";
import { sizeFor } from "../../testing/full-size.ts";
import { createRandom, SEED } from "../../testing/seed.ts";
import { audit } from "../audit/audit.ts";
import { connectDatabase, type Db, errorCodeOf } from "../db/database.ts";
import { moveFunds } from "../wallet/move-funds.ts";
import type { Placement } from "./decide-placements.ts";
import { createPlacementBatch } from "./placement-batch.ts";

const ROUNDS = sizeFor("soak", { share: 40, full: 150 });
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
  return {
    ...db,
    transaction: (work) =>
      db.transaction(work).catch((error: unknown) => {
        failures.push(errorCodeOf(error));
        throw error;
      }),
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

const submitAll = (submit: ReturnType<typeof createPlacementBatch> | undefined, placements: Placement[]) =>
  Promise.all(placements.map((placement) => submit?.(placement) ?? assert.fail()));

let credits = 0;

async function credit(buyer: Buyer): Promise<void> {
  await moveFunds(scrip.db, scrip.clock, buyer, { direction: "credit", amount: "1.00", note: "" });
  credits += 100;
}
