import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { startFaultProxy } from "../../testing/database/fault-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { connectDatabase, type Db, errorCodeOf, isDatabaseUnavailable } from "./database.ts";

const STATEMENT_TIMEOUT_MS = 300;

let database: TestDatabase;
let db: Db;
before(async () => {
  database = await createTestDatabase();
  await database.db.rows(raw("create table notes (text text primary key deferrable initially deferred)"));
  db = connect(database.connectionString);
});
after(async () => {
  await db.close();
  await database.drop();
});

/** One connection, so that each transaction meets what the one before has left. */
const connect = (connectionString: string): Db =>
  connectDatabase({
    connectionString,
    applicationName: "scrip test joined",
    poolSize: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: () => {},
  });

const read = (text = 'select $1 as said, now() = statement_timestamp() as "isFirst"') => ({
  name: `read ${text.length}`,
  text,
  values: ["hello"],
});
const write = (note: string) => ({ name: "write", text: "insert into notes values ($1)", values: [note] });
const notes = async () =>
  (await database.db.rows<{ text: string }>(sql`select text from notes order by text`)).map(
    ({ text }) => text,
  );
const codeOf = (wanted: string) => (error: unknown) => errorCodeOf(error) === wanted;

test("a short transaction gets the rows of its first statement and commits its last, again and again on one connection", async () => {
  for (const note of ["a", "b", "c"]) {
    const result = await db.shortTransaction<{ said: string }, string>(read(), async (tx, [row]) => {
      await tx.rows(sql`insert into notes values (${`${note} between`})`);
      return { result: row?.said ?? "", last: write(note) };
    });
    assert.equal(result, "hello");
  }
  assert.deepEqual(await notes(), ["a", "a between", "b", "b between", "c", "c between"]);
  await db.shortTransaction(read(), async (tx) => {
    await tx.rows(sql`delete from notes`);
    return { result: undefined, last: undefined };
  });
  assert.deepEqual(await notes(), []);
});

test("it is one transaction in which each statement sees what was committed before it", async () => {
  await db.shortTransaction<{ isolation: string }, void>(
    read("select current_setting('transaction_isolation') as isolation, $1 as said"),
    async (tx, [row]) => {
      assert.equal(row?.isolation, "read committed");
      await database.db.rows(sql`insert into notes values ('by another')`);
      assert.equal((await tx.rows(sql`delete from notes returning text`)).length, 1);
      return { result: undefined, last: write("own") };
    },
  );
  assert.deepEqual(await notes(), ["own"]);
  await database.db.rows(sql`delete from notes`);
});

test("whatever fails, nothing is committed, and the connection serves the next transaction", async () => {
  const nothing = async () => ({ result: undefined, last: write("lost") });
  await assert.rejects(db.shortTransaction(read("select $1::integer"), nothing), codeOf("22P02"));
  await assert.rejects(db.shortTransaction(read("select $1 from nowhere"), nothing), codeOf("42P01"));
  await assert.rejects(db.shortTransaction(read("select $1 from nowhere"), nothing), codeOf("42P01"));
  const bad = { name: "bad", text: "insert into notes values ($1::integer)", values: ["x"] };
  const badLast = db.shortTransaction(read(), async (tx) => {
    await tx.rows(sql`insert into notes values ('undone')`);
    return { result: undefined, last: bad };
  });
  await assert.rejects(badLast, codeOf("22P02"));
  const atCommit = db.shortTransaction(read(), async (tx) => {
    await tx.rows(sql`insert into notes values ('twice')`);
    return { result: undefined, last: write("twice") };
  });
  await assert.rejects(atCommit, codeOf("23505"), "a constraint that is checked at the commit");
  const swallowed = db.shortTransaction(read(), async (tx) => {
    await tx.rows(sql`select 1 / 0`).catch(() => {});
    return { result: undefined, last: undefined };
  });
  await assert.rejects(swallowed, codeOf("25P02"));
  await assert.rejects(
    db.shortTransaction(read(), () => Promise.reject(new Error("changed our mind"))),
    /changed our mind/,
  );
  assert.deepEqual(await notes(), []);
  await db.shortTransaction(read(), async () => ({ result: undefined, last: write("after") }));
  assert.deepEqual(await notes(), ["after"]);
  await database.db.rows(sql`delete from notes`);
});

test("a commit that never reaches the server leaves no lock behind, although the last statement was run", async (t) => {
  const proxy = await startFaultProxy(database.connectionString);
  t.after(() => proxy.close());
  const far = connect(proxy.connectionString);
  t.after(() => far.close());
  await database.db.rows(sql`insert into notes values ('locked')`);
  const fault = proxy.arm(/^commit$/, "stall");
  const update = { name: "update", text: "update notes set text = $1", values: ["changed"] };
  const lost = far.shortTransaction(read(), async () => ({ result: undefined, last: update }));
  await fault.struck;
  await assert.rejects(lost, isDatabaseUnavailable);
  await eventually("the server ends the transaction", async () => {
    const free = await database.db.rows(sql`select text from notes for update skip locked`);
    return free.length === 1 ? true : undefined;
  });
  assert.deepEqual(await notes(), ["locked"]);
});
