import assert from "node:assert/strict";
import { after, test } from "node:test";
import sql, { join, raw, type Sql } from "sql-template-tag";
import { FULFILMENT_CONSTRAINTS } from "../../testing/database/fulfilment-constraints.ts";
import { MONEY_CONSTRAINTS } from "../../testing/database/money-constraints.ts";
import { createTestDatabase } from "../../testing/database/test-database.ts";
import { errorCodeOf } from "./database-errors.ts";

const { db, drop } = await createTestDatabase();
after(drop);

const OK = "accepted";
const RESTRICT_VIOLATION = "23001";

const insert = (table: string, row: Readonly<Record<string, unknown>>): Sql =>
  sql`insert into ${raw(table)} (${raw(Object.keys(row).join(", "))}) values (${join(Object.values(row))})`;

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
      for (const row of rows) await tx.rows(insert(table, row));
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
  "pending completed",
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

test("a refund goes to the wallet that paid for the order, and to no other", async () => {
  const [orders, entries] = ["orders", "ledger_entries"].map((name) =>
    MONEY_CONSTRAINTS.find(({ table }) => table === name),
  );
  assert.ok(orders && entries);
  const refund = { type: "refund", counter_account: "sales", order_id: orders.valid.id };
  const refundTo = (resellerId: string, environment: string) =>
    tryRows(
      "orders",
      [orders.valid],
      insert("ledger_entries", { ...entries.valid, ...refund, reseller_id: resellerId, environment }),
    );
  assert.equal(await refundTo("rsl_1", "live"), OK);
  assert.equal(await refundTo("rsl_2", "live"), "ledger_entries_wallet");
  assert.equal(await refundTo("rsl_1", "test"), "ledger_entries_wallet");
});

test("a refund gives its money back to the key, in the hour of the order, and only on the same UTC day", async () => {
  const [orders, entries] = ["orders", "ledger_entries"].map((name) =>
    MONEY_CONSTRAINTS.find(({ table }) => table === name),
  );
  assert.ok(orders && entries);
  const { id, key_id, created_at } = orders.valid;
  const refund = { ...entries.valid, type: "refund", counter_account: "sales", order_id: id };
  const spent = await db.transaction(async (tx) => {
    await tx.rows(sql`set local session_replication_role = replica`);
    await tx.rows(insert("orders", orders.valid));
    await tx.rows(insert("key_spending", { key_id, hour: created_at, spent_minor: 100 }));
    await tx.rows(sql`set local session_replication_role = origin`);
    await tx.rows(insert("ledger_entries", { ...refund, created_at: "2030-01-31T23:59:59.999Z" }));
    const next = { id: "ent_2", sequence: 2, created_at: "2030-02-01T00:00:00.000Z" };
    await tx.rows(insert("ledger_entries", { ...refund, ...next }));
    const rows = await tx.rows(sql`select spent_minor as minor from key_spending`);
    await tx.rows(sql`set local session_replication_role = replica`);
    for (const table of ["orders", "ledger_entries", "key_spending"])
      await tx.rows(raw(`delete from ${table}`));
    return rows;
  });
  assert.deepEqual(spent, [{ minor: 99n }]);
});
