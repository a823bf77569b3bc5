import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import pg from "pg";
import sql, { raw } from "sql-template-tag";
import { startFaultProxy } from "../../testing/database/fault-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { connectDatabase, type Db } from "./database.ts";
import { prepareSession } from "./prepare-session.ts";

/** Long enough to prepare a connection on a busy machine. */
const IDLE_MS = 1_000;

/** What an operator may have set, and what the code relies on instead. */
const SETTINGS: Readonly<Record<string, [theirs: string, ours: string]>> = {
  jit: ["on", "off"],
  plan_cache_mode: ["force_custom_plan", "auto"],
  datestyle: ["SQL, DMY", "ISO, MDY"],
  intervalstyle: ["iso_8601", "postgres"],
  timezone: ["Asia/Kathmandu", "UTC"],
  bytea_output: ["escape", "hex"],
  extra_float_digits: ["-3", "1"],
  standard_conforming_strings: ["off", "on"],
  array_nulls: ["off", "on"],
  transform_null_equals: ["on", "off"],
  quote_all_identifiers: ["on", "off"],
  default_transaction_isolation: ["serializable", "read committed"],
  default_transaction_deferrable: ["on", "off"],
  row_security: ["off", "on"],
  client_encoding: ["LATIN1", "UTF8"],
  client_min_messages: ["error", "warning"],
  lock_timeout: ["15ms", "0"],
  idle_session_timeout: [`${IDLE_MS}ms`, "0"],
  transaction_timeout: ["1min", "0"],
  statement_timeout: ["500ms", "0"],
  idle_in_transaction_session_timeout: ["200ms", "0"],
};

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
  const name = new URL(database.connectionString).pathname.slice(1);
  for (const [setting, [theirs]] of Object.entries(SETTINGS))
    await database.db.rows(raw(`alter database ${name} set ${setting} to ${asValue(theirs)}`));
});
after(() => database.drop());

const asValue = (value: string): string => (value.includes(", ") ? value : `'${value}'`);

function connect(t: TestContext, connectionString: string, statementTimeoutMs?: number): Db {
  const db = connectDatabase({
    connectionString,
    applicationName: "scrip odd session",
    poolSize: 2,
    onConnectionLost: () => {},
    ...(statementTimeoutMs === undefined ? {} : { statementTimeoutMs }),
  });
  t.after(db.close);
  return db;
}

async function readSettings(db: Db): Promise<Record<string, string>> {
  const rows = await db.rows<{ name: string; value: string }>(
    sql`select name, current_setting(name) as value from unnest(${Object.keys(SETTINGS)}::text[]) as name`,
  );
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
}

test("a connection has the settings that the code relies on, regardless of the database's", async (t) => {
  const plain = new pg.Client({ connectionString: database.connectionString });
  await plain.connect();
  const { rows } = await plain.query("select current_setting('datestyle') as style");
  await plain.end();
  assert.deepEqual(rows, [{ style: "SQL, DMY" }], "the settings of the database apply to other connections");
  assert.deepEqual(
    await readSettings(connect(t, database.connectionString, 0)),
    Object.fromEntries(Object.entries(SETTINGS).map(([name, [, ours]]) => [name, ours])),
  );
});

test("the limits for statements and idle transactions are the requested ones", async (t) => {
  const { statement_timeout, idle_in_transaction_session_timeout } = await readSettings(
    connect(t, database.connectionString, 7_000),
  );
  assert.deepEqual([statement_timeout, idle_in_transaction_session_timeout], ["7s", "7s"]);
});

test("a listener has them too, and is not disconnected for being idle", async (t) => {
  const db = connect(t, database.connectionString);
  let heard = 0;
  const listener = db.listen("odd", () => {
    heard += 1;
  });
  t.after(listener.close);
  await eventually("the listener listens", async () => (heard > 0 ? true : undefined));
  const findListener = () =>
    database.db.rows<{ pid: number }>(sql`
      select pid from pg_stat_activity where datname = current_database() and application_name like '%odd session listener'`);
  const [before] = await findListener();
  await database.db.rows(sql`select pg_sleep(${(1.3 * IDLE_MS) / 1_000})`);
  assert.deepEqual(await findListener(), [before]);
});

test("a new connection costs one round trip", async (t) => {
  const client = new pg.Client({ connectionString: database.connectionString });
  await client.connect();
  t.after(() => client.end());
  const questions: string[] = [];
  const ask = client.query.bind(client) as (query: { text: string }) => Promise<unknown>;
  t.mock.method(client, "query", (query: { text: string }) => {
    questions.push(query.text);
    return ask(query);
  });
  assert.deepEqual(await prepareSession(client, { statementTimeoutMs: 0 }), {
    takesWrites: true,
    isInRecovery: false,
  });
  assert.equal(questions.length, 1);
});

test("a connection that cannot be prepared is closed, and the next one is tried again", async (t) => {
  const proxy = await startFaultProxy(database.connectionString);
  t.after(proxy.close);
  const db = connect(t, proxy.connectionString);
  const fault = proxy.arm(/set_config/, "cut-before");
  await assert.rejects(db.rows(sql`select 1`), /ECONNRESET|Connection terminated/);
  await fault.struck;
  assert.deepEqual(await db.rows(sql`select 1 as one`), [{ one: 1 }]);
});
