import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import sql from "sql-template-tag";
import { createTestDatabase } from "../../testing/database/test-database.ts";

test("the rows of a statement are its caller's alone: the driver's result, which lives on, does not hold them", async (t) => {
  const database = await createTestDatabase();
  t.after(() => database.drop());
  const query = t.mock.method(pg.Client.prototype, "query");
  const rows = await database.db.rows(sql`select n from generate_series(1, 2) n`);
  assert.deepEqual(rows, [{ n: 1 }, { n: 2 }]);
  const results = await Promise.all(query.mock.calls.map(({ result }): unknown => result));
  // The preparation of a new connection is among them.
  const own = results.filter((result) => (result as pg.QueryResult | undefined)?.rowCount === rows.length);
  assert.deepEqual(
    own.map((result) => (result as pg.QueryResult).rows),
    [[]],
  );
});
