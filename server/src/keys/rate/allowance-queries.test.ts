import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import type { AllowanceAsk } from "../../http/limits/shared-rate-limit.ts";
import { pruneAllowances, takeAllowances } from "./allowance-queries.ts";

let database: TestDatabase;

before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

const ask = (bucket: string, changes: Partial<AllowanceAsk> = {}): AllowanceAsk => ({
  bucket,
  intervalMs: 60_000,
  taken: 0,
  levelMs: 0,
  wanted: 0,
  ...changes,
});

test("processes that ask at the same time get one burst together", async () => {
  // One request in 20 ms, so the burst of two seconds has 100.
  const one = ask("hot", { intervalMs: 20, wanted: 60 });
  const startedAtMs = performance.now();
  const replies = await Promise.all([1, 2, 3].map(() => takeAllowances(database.db, [ask("cold"), one])));
  const granted = replies.reduce((sum, [, reply]) => sum + (reply?.granted ?? 0), 0);
  const earned = Math.ceil((performance.now() - startedAtMs) / 20);
  assert.ok(granted >= 100 && granted <= 100 + earned, `${granted} granted`);
});

test("what was taken or is known counts first, and a debt leaves nothing", async () => {
  const burst = { intervalMs: 500, wanted: 10 };
  const [first] = await takeAllowances(database.db, [ask("a", { ...burst, taken: 1 })]);
  assert.equal(first?.granted, 3);
  assert.ok(first.levelMs > 1_990 && first.levelMs <= 2_000);
  const [lost] = await takeAllowances(database.db, [ask("b", { ...burst, levelMs: 1_500, taken: 1 })]);
  assert.equal(lost?.granted, 1, "a level that the table has lost counts");
  const [debt] = await takeAllowances(database.db, [ask("c", { ...burst, taken: 40 })]);
  assert.equal(debt?.granted, 0);
  assert.ok(debt.levelMs > 19_000);
});

test("empty buckets are pruned, and nothing is written to the log of the database", async () => {
  await takeAllowances(database.db, [ask("empty"), ask("full", { intervalMs: 1_000, taken: 100 })]);
  await pruneAllowances(database.db);
  const left = await database.db.rows<{ bucket: string }>(
    sql`select bucket from rate_limits where bucket in ('empty', 'full')`,
  );
  assert.deepEqual(left, [{ bucket: "full" }]);
  const [table] = await database.db.rows<{ kind: string }>(
    sql`select relpersistence as kind from pg_class where relname = 'rate_limits'`,
  );
  assert.equal(table?.kind, "u", "unlogged");
});
