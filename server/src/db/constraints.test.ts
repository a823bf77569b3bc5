import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { CONSTRAINT_CASES } from "../../testing/database/constraint-cases.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";

const { db, drop } = await createTestDatabase();
after(drop);

const OK = "accepted";

/** The name of the constraint that refuses a row, or that it is accepted. Nothing stays. Only checks are tried, not triggers and keys. */
const tryRow = (table: string, row: Readonly<Record<string, unknown>>): Promise<string> =>
  db.transaction(async (tx) => {
    const columns = Object.keys(row);
    const places = columns.map((_, index) => `$${index + 1}`).join(", ");
    const text = `insert into ${table} (${columns.join(", ")}) values (${places})`;
    await tx.rows(sql`set local session_replication_role = replica`);
    await tx.rows(sql`savepoint before_row`);
    try {
      await tx.rows({ text, values: Object.values(row) });
      return OK;
    } catch (error) {
      if (error instanceof Error && "constraint" in error && typeof error.constraint === "string")
        return error.constraint;
      throw error;
    } finally {
      await tx.rows(sql`rollback to savepoint before_row`);
    }
  });

for (const { table, valid, alsoValid, refused } of CONSTRAINT_CASES) {
  test(`${table}: what its check constraints allow is accepted`, async () => {
    for (const changes of [{}, ...alsoValid])
      assert.equal(await tryRow(table, { ...valid, ...changes }), OK, JSON.stringify(changes));
  });

  test(`${table}: a direct write that breaks a check constraint is refused by that constraint`, async () => {
    for (const [constraint, rows] of Object.entries(refused))
      for (const changes of rows)
        assert.equal(await tryRow(table, { ...valid, ...changes }), constraint, JSON.stringify(changes));
  });

  test(`${table}: every check constraint is tried`, async () => {
    const rows = await db.rows<{ name: string }>(sql`
      select conname as name from pg_constraint
      where contype = 'c' and conrelid = ${raw(`'${table}'::regclass`)} order by conname`);
    assert.deepEqual(Object.keys(refused).sort(), rows.map(({ name }) => name).sort());
  });
}
