import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { ENVIRONMENT_GUARDS, missingTriggers } from "./guards.ts";
import { migrate } from "./migrate.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

const listMissing = () => database.db.rows<{ violation: string }>(missingTriggers(ENVIRONMENT_GUARDS));

test("a migrated database has every guard of the list, as it is written there", async () => {
  assert.ok(ENVIRONMENT_GUARDS.length >= 19);
  for (const statement of ENVIRONMENT_GUARDS) assert.match(statement, /^create trigger \w+ /);
  assert.deepEqual(await listMissing(), []);
});

test("migrate follows a changed list, and leaves what was switched off by hand to the audit", async () => {
  const { db } = database;
  await db.rows(raw("drop trigger orders_stay on orders"));
  await db.rows(raw("alter table codes disable trigger codes_environment_given"));
  assert.deepEqual(await migrate(db), []);
  assert.equal((await listMissing()).length, 2);
  await db.rows(sql`update schema_migrations set checksum = 'of an older list' where name = 'guards.sql'`);
  await migrate(db);
  assert.deepEqual(await listMissing(), []);
});
