import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { countWaiting } from "../../testing/database/count-waiting.ts";
import { startFaultProxy } from "../../testing/database/fault-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { connectDatabase, type Db } from "./database.ts";
import { errorCodeOf, isDatabaseUnavailable } from "./database-errors.ts";

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

/** What a whole transaction told before its commit was answered. */
function listen() {
  const told: string[] = [];
  const note = ([row]: { said: string }[], changed: number): void => {
    told.push(`${row?.said} ${changed}`);
  };
  return { told, note };
}

test("a whole transaction tells what both statements answered, and commits, again and again on one connection", async () => {
  await database.db.rows(sql`delete from notes`);
  const { told, note } = listen();
  for (const text of ["a", "b", "c"]) await db.wholeTransaction(read(), write(text), note);
  assert.deepEqual(await notes(), ["a", "b", "c"]);
  const clear = { name: "clear", text: "delete from notes where $1 <> ''", values: ["all"] };
  await db.wholeTransaction(read(), clear, note);
  await db.wholeTransaction(read(), undefined, note);
  assert.deepEqual(told, ["hello 1", "hello 1", "hello 1", "hello 3", "hello 0"]);
  assert.deepEqual(await notes(), []);
});

test("whatever fails in a whole transaction, nothing is committed, and the connection serves the next one", async () => {
  const { told, note } = listen();
  const bad = { name: "bad number", text: "insert into notes values ($1::integer)", values: ["x"] };
  const noTable = { name: "no table", text: "insert into nowhere values ($1)", values: ["x"] };
  await assert.rejects(db.wholeTransaction(read("select $1::integer"), write("lost"), note), codeOf("22P02"));
  await assert.rejects(db.wholeTransaction(read(), bad, note), codeOf("22P02"));
  for (let time = 0; time < 2; time += 1)
    await assert.rejects(db.wholeTransaction(read(), noTable, note), codeOf("42P01"));
  assert.deepEqual(told, []);
  await db.wholeTransaction(read(), write("first of its name"), note);
  // Found at the commit, when the statements have been told of.
  await assert.rejects(db.wholeTransaction(read(), write("first of its name"), note), codeOf("23505"));
  assert.equal(told.length, 2);
  assert.deepEqual(await notes(), ["first of its name"]);
  await database.db.rows(sql`delete from notes`);
});

test("an error of the one who is told comes out of the whole transaction, and the connection serves the next one", async () => {
  const changedMind = db.wholeTransaction(read(), write("written all the same"), () => {
    throw new Error("changed our mind");
  });
  await assert.rejects(changedMind, /changed our mind/);
  await db.wholeTransaction(read(), write("after"), () => {});
  assert.deepEqual(await notes(), ["after", "written all the same"]);
  await database.db.rows(sql`delete from notes`);
});

test("a whole transaction waits for a lock without this process, and sees what was committed meanwhile", async () => {
  await database.db.rows(sql`insert into notes values ('held')`);
  const lock = { name: "lock", text: "select from notes where $1 <> '' for update", values: ["x"] };
  const copy = { name: "copy", text: "insert into notes select text || $1 from notes", values: [" twice"] };
  let waiting: Promise<void> | undefined;
  await database.db.transaction(async (tx) => {
    await tx.rows(sql`update notes set text = 'changed'`);
    waiting = db.wholeTransaction(lock, copy, () => {});
    await eventually("it waits", async () => ((await countWaiting(database.db)) > 0 ? true : undefined));
  });
  await waiting;
  assert.deepEqual(await notes(), ["changed", "changed twice"]);
  await database.db.rows(sql`delete from notes`);
});

test("a whole transaction whose commit never reaches the server leaves no lock behind", async (t) => {
  const proxy = await startFaultProxy(database.connectionString);
  t.after(() => proxy.close());
  const far = connect(proxy.connectionString);
  t.after(() => far.close());
  await database.db.rows(sql`insert into notes values ('locked')`);
  const fault = proxy.arm(/^commit$/, "stall");
  const update = { name: "update", text: "update notes set text = $1", values: ["changed"] };
  const lost = far.wholeTransaction(read(), update, () => {});
  await fault.struck;
  await assert.rejects(lost, isDatabaseUnavailable);
  await eventually("the server ends the transaction", async () => {
    const free = await database.db.rows(sql`select text from notes for update skip locked`);
    return free.length === 1 ? true : undefined;
  });
  assert.deepEqual(await notes(), ["locked"]);
});

test("whoever has no answer to the first statement does not wait again for each of the others", async (t) => {
  const proxy = await startFaultProxy(database.connectionString);
  t.after(() => proxy.close());
  const far = connect(proxy.connectionString);
  t.after(() => far.close());
  await far.wholeTransaction(read(), undefined, () => {});
  const fault = proxy.arm(/^select \$1 as said/, "stall");
  const begunMs = performance.now();
  const lost = far.wholeTransaction(read(), write("lost"), () => {});
  await fault.struck;
  await assert.rejects(lost, isDatabaseUnavailable);
  const waitedMs = performance.now() - begunMs;
  // The driver waits for the limit and a second; three times that is what is not to happen.
  assert.ok(waitedMs < 2 * (STATEMENT_TIMEOUT_MS + 1_000), `it waited ${waitedMs} ms`);
});
