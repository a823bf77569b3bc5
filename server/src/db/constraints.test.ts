import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { raw, type Sql } from "sql-template-tag";
import { FULFILMENT_CONSTRAINTS } from "../../testing/database/fulfilment-constraints.ts";
import { MONEY_CONSTRAINTS } from "../../testing/database/money-constraints.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { errorCodeOf } from "./database.ts";

const { db, drop } = await createTestDatabase();
after(drop);

const OK = "accepted";
const RESTRICT_VIOLATION = "23001";

/**
 * The name of the constraint that refuses one of the rows, or that all are accepted. Nothing stays. Rows meet constraints only, what
 * follows them meets triggers too.
 */
const tryRows = (
  table: string,
  rows: readonly Readonly<Record<string, unknown>>[],
  thenWithTriggers?: Sql,
): Promise<string> =>
  db.transaction(async (tx) => {
    await tx.rows(sql`set local session_replication_role = replica`);
    await tx.rows(sql`savepoint before_rows`);
    try {
      for (const row of rows) {
        const columns = Object.keys(row);
        const places = columns.map((_, index) => `$${index + 1}`).join(", ");
        const text = `insert into ${table} (${columns.join(", ")}) values (${places})`;
        await tx.rows({ text, values: Object.values(row) });
      }
      if (!thenWithTriggers) return OK;
      await tx.rows(sql`set local session_replication_role = origin`);
      await tx.rows(thenWithTriggers);
      return OK;
    } catch (error) {
      if (errorCodeOf(error) === RESTRICT_VIOLATION) return "a trigger";
      if (error instanceof Error && "constraint" in error && typeof error.constraint === "string")
        return error.constraint;
      throw error;
    } finally {
      await tx.rows(sql`rollback to savepoint before_rows`);
    }
  });

for (const { table, valid, alsoValid, refused, once = {} } of [
  ...MONEY_CONSTRAINTS,
  ...FULFILMENT_CONSTRAINTS,
]) {
  test(`${table}: what its check constraints allow is accepted`, async () => {
    for (const changes of [{}, ...alsoValid])
      assert.equal(await tryRows(table, [{ ...valid, ...changes }]), OK, JSON.stringify(changes));
  });

  test(`${table}: a direct write that breaks a check constraint is refused by that constraint`, async () => {
    for (const [constraint, rows] of Object.entries(refused))
      for (const changes of rows)
        assert.equal(await tryRows(table, [{ ...valid, ...changes }]), constraint, JSON.stringify(changes));
  });

  test(`${table}: what must be there once is refused the second time`, async () => {
    for (const [constraint, [first, second]] of Object.entries(once))
      assert.equal(
        await tryRows(table, [
          { ...valid, ...first },
          { ...valid, ...second },
        ]),
        constraint,
      );
  });

  test(`${table}: every check constraint is tried`, async () => {
    const rows = await db.rows<{ name: string }>(sql`
      select conname as name from pg_constraint
      where contype = 'c' and conrelid = ${raw(`'${table}'::regclass`)} order by conname`);
    assert.deepEqual(Object.keys(refused).sort(), rows.map(({ name }) => name).sort());
  });
}

/** CONTRACT 4, Transitions. */
const MOVES = [
  "pending processing",
  "processing completed",
  "processing failed",
  "completed refunded",
  "failed refunded",
];
const STATUSES = ["pending", "processing", "completed", "failed", "refunded"];

test("the status of an order moves along the contract and in no other way", async () => {
  const orders = MONEY_CONSTRAINTS.find(({ table }) => table === "orders");
  assert.ok(orders);
  const refundedOf = (status: string) => (status === "refunded" ? orders.valid.total_minor : 0);
  const moved: string[] = [];
  for (const from of STATUSES)
    for (const to of STATUSES.filter((status) => status !== from)) {
      const row = { ...orders.valid, status: from, refunded_minor: refundedOf(from) };
      const update = sql`update orders set status = ${to}, refunded_minor = ${refundedOf(to)}`;
      if ((await tryRows("orders", [row], update)) === OK) moved.push(`${from} ${to}`);
    }
  assert.deepEqual(moved, MOVES);
});
