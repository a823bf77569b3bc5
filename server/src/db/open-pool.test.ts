import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import type pg from "pg";
import { raw } from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { type Hosts, NoPrimaryError, openHosts } from "./hosts.ts";
import { openPool, type PrimaryPool } from "./open-pool.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

const OWN = "";
const NOBODY = "127.0.0.1:1";
const CONNECT_TIMEOUT_MS = 5_000;

/** These hosts, where the empty one is the test's own, which accepts writes. */
function hostsOf(names: readonly string[]): Hosts {
  const own = new URL(database.connectionString).host;
  return openHosts(database.connectionString.replace(own, names.map((name) => name || own).join(",")));
}

const open = (names: readonly string[], config: pg.PoolConfig): PrimaryPool =>
  openPool(hostsOf(names), config, () => {});

/** Existing connections keep working, but no new one can be opened. */
async function refuseNewConnections(t: TestContext): Promise<void> {
  const name = new URL(database.connectionString).pathname.slice(1);
  await database.db.rows(raw(`alter database ${name} set default_transaction_read_only = on`));
  t.after(() => database.db.rows(raw(`alter database ${name} reset default_transaction_read_only`)));
}

test("after a failed search an idle connection is used at once, and only callers that need a new one wait", async (t) => {
  const pool = open([OWN, NOBODY], { max: 4 });
  t.after(pool.end);
  const good = await pool.connect();
  await refuseNewConnections(t);
  t.mock.method(performance, "now", () => 1_000);
  const failure = await pool.connect().catch((error) => error);
  assert.ok(failure instanceof NoPrimaryError);
  good.release();

  const again = await pool.connect();
  assert.equal(again.client, good.client);
  await assert.rejects(pool.connect(), (error) => error === failure, "the same search, and not another");
  again.release();
  const [first, second] = [pool.connect(), pool.connect()];
  const told = await second.catch((error) => error);
  (await first).release();
  assert.equal(told, failure, "one idle connection is for one caller");
});

test("a host that is suspected while the pool closes is closed once", async () => {
  const pool = open([OWN, OWN], { max: 4 });
  const inUse = await pool.connect();
  const ended = pool.end();
  inUse.suspectHost();
  inUse.release(new Error("silent"));
  await ended;
  // An unhandled error would surface after this turn and fail the test.
  await new Promise(setImmediate);
});

test("a caller waiting for a connection to a host that becomes suspected gets one to the next host", async (t) => {
  const pool = open([OWN, OWN], { max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  t.after(pool.end);
  const silent = await pool.connect();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const waiting = pool.connect();
  silent.suspectHost();
  silent.release(new Error("silent"));
  t.mock.timers.tick(CONNECT_TIMEOUT_MS);
  const taken = await waiting;
  assert.notEqual(taken.client, silent.client);
  taken.release();
});

test("a caller that times out waiting for a busy connection gets an error and does not wait twice", async (t) => {
  const hosts = hostsOf([OWN, OWN]);
  const search = t.mock.method(hosts, "tryEach");
  const pool = openPool(hosts, { max: 1, connectionTimeoutMillis: CONNECT_TIMEOUT_MS }, () => {});
  t.after(pool.end);
  const inUse = await pool.connect();
  const before = search.mock.callCount();
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const waiting = pool.connect();
  t.mock.timers.tick(CONNECT_TIMEOUT_MS);
  // A second search would be given this one.
  setImmediate(() => inUse.release());
  await assert.rejects(waiting, /timeout exceeded/);
  assert.equal(search.mock.callCount(), before + 1);
});
