import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import pg from "pg";
import sql, { raw } from "sql-template-tag";
import { startFaultProxy } from "../../../testing/database/fault-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../../testing/database/test-database.ts";
import { eventually } from "../../../testing/eventually.ts";
import { connectDatabase, type ServingDb } from "../database.ts";
import { isDatabaseUnavailable } from "../database-errors.ts";
import { type BeatLine, openBeatLine } from "./beat-line.ts";
import { listProcesses } from "./list-processes.ts";
import { readTerm } from "./primary-term.ts";
import { pruneProcesses } from "./prune-processes.ts";
import { describeProcess, PROCESS_HOME } from "./serving-process.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

const IGNORED = { onBeat() {}, onDoubt() {}, onConfirmed() {} };
const processes = () =>
  database.db.rows<{ id: string; role: string; pid: number; beatAt: Date }>(
    sql`select id, role, pid, beat_at as "beatAt" from processes order by id`,
  );

const open = (connectionString: string, process = describeProcess("api")): Promise<BeatLine> =>
  openBeatLine({
    connectionString,
    applicationName: "scrip test",
    process,
    judge: () => {},
    signal: new AbortController().signal,
  });

function connect(t: TestContext, connectionString: string): ServingDb {
  const db = connectDatabase({
    connectionString,
    applicationName: "scrip test watched",
    poolSize: 1,
    onConnectionLost: () => {},
  });
  t.after(db.close);
  return db;
}

test("a process is listed from its first heartbeat until it closes, and each heartbeat is later", async () => {
  const own = describeProcess("worker");
  const line = await open(database.connectionString, own);
  const [first] = await processes();
  assert.deepEqual([first?.id, first?.role, first?.pid], [own.id, "worker", process.pid]);
  await line.beat();
  const [second] = await processes();
  assert.ok(first && second && second.beatAt > first.beatAt);
  const [listed] = await listProcesses(database.db);
  assert.deepEqual([listed?.id, listed?.isAlive], [own.id, true]);
  const [{ isHere } = {}] = await database.db.rows<{ isHere: boolean }>(
    sql`select home = ${raw(PROCESS_HOME)} as "isHere" from processes`,
  );
  assert.equal(isHere, true);
  await line.close();
  assert.deepEqual(await processes(), []);
});

test("a dead process is removed from the list after a day", async () => {
  await database.db.rows(sql`
    insert into processes (id, role, host, pid, version, beat_at)
    values ('prc_dead', 'api', 'h', 1, '1', now() - interval '25 hours'),
           ('prc_late', 'api', 'h', 2, '1', now() - interval '23 hours')`);
  await pruneProcesses(database.db);
  assert.deepEqual(
    (await processes()).map(({ id }) => id),
    ["prc_late"],
  );
  await database.db.rows(sql`delete from processes`);
});

test("a server that refuses the write is not a primary", async (t) => {
  const name = new URL(database.connectionString).pathname.slice(1);
  await database.db.rows(raw(`alter database ${name} set default_transaction_read_only = on`));
  t.after(() => database.db.rows(raw(`alter database ${name} reset default_transaction_read_only`)));
  await assert.rejects(open(database.connectionString), /is read-only/);
});

test("any role can read its term; servers without the function have no term", async (t) => {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  t.after(() => client.end());
  await client.query("create role plain_reader");
  t.after(() => database.db.rows(raw("drop role plain_reader")));
  await client.query("set role plain_reader");
  const term = await readTerm(client);
  assert.match(term?.system ?? "", /^\d{15,}$/);
  assert.equal(term?.timeline, 1);
  for (const code of ["0A000", "42501", "42883"]) {
    const query = t.mock.method(client, "query", () => Promise.reject(Object.assign(new Error(), { code })));
    assert.equal(await readTerm(client), undefined);
    query.mock.restore();
  }
});

test("when connections are dropped, a running statement fails as unavailable, and waiting callers get a new one", async (t) => {
  const proxy = await startFaultProxy(database.connectionString);
  t.after(proxy.close);
  const own = new URL(database.connectionString).host;
  const both = database.connectionString.replace(own, `${new URL(proxy.connectionString).host},${own}`);
  const db = connect(t, both);
  await db.rows(sql`select 1`);
  const stalled = proxy.arm(/falls silent/, "stall");
  const cut = db.rows(sql`select 'falls silent'`).catch((error) => error);
  await stalled.struck;
  const waiting = db.rows(sql`select 'waits for the only connection' as text`);
  await db.watchPrimary(describeProcess("all"), IGNORED);
  assert.ok(isDatabaseUnavailable(await cut));
  assert.equal((await waiting).length, 1);
});

test("a listener reconnects when connections are dropped", async (t) => {
  const db = connect(t, database.connectionString);
  let heard = 0;
  const listener = db.listen("moved", () => {
    heard += 1;
  });
  t.after(listener.close);
  await eventually("it listens", async () => (heard > 0 ? true : undefined));
  const findListener = () =>
    database.db.rows<{ pid: number }>(sql`
      select pid from pg_stat_activity where application_name = 'scrip test watched listener'`);
  const [before] = await findListener();
  await db.watchPrimary(describeProcess("worker"), IGNORED);
  await eventually("it listens on another connection", async () => {
    const [now] = await findListener();
    return now && now.pid !== before?.pid ? true : undefined;
  });
});
