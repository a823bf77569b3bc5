import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { countWaiting } from "../../testing/database/count-waiting.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { listPendingMigrations, migrate } from "./migrate.ts";

const LAST = "0027_unit_times.sql";
let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** As it was before that migration. */
async function undoLast(): Promise<void> {
  await database.db.rows(raw("alter table order_units drop column failed_at"));
  await database.db.rows(sql`delete from schema_migrations where name = ${LAST}`);
}

test("a migration that has to wait for a table lets others pass, and applies once the table is free", async () => {
  await undoLast();
  const { db } = database;
  const applied = await db.transaction(async (holder) => {
    await holder.rows(raw("lock table order_units in access share mode"));
    const migrated = migrate(db, { lockTimeoutMs: 50, pauseMs: 50, triesMax: 1_000 });
    await eventually("the migration waits", async () => ((await countWaiting(db)) > 0 ? true : undefined));
    // Without the limit this would wait behind the migration, which waits for the holder.
    await db.rows(sql`select from order_units limit 1`);
    return { migrated };
  });
  assert.deepEqual(await applied.migrated, [LAST]);
  assert.deepEqual(await listPendingMigrations(db), []);
});

test("a migration whose table is never free says what to do", async () => {
  await undoLast();
  const { db } = database;
  await db.transaction(async (holder) => {
    await holder.rows(raw("lock table order_units in access share mode"));
    const never = migrate(db, { lockTimeoutMs: 20, pauseMs: 1, triesMax: 2 });
    await assert.rejects(never, /migration 0027_unit_times.sql could not lock its table.*run it again later/);
  });
  await migrate(db);
});
