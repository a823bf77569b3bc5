import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer } from "node:net";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { startFaultProxy } from "../../testing/database/fault-proxy.ts";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { eventually } from "../../testing/eventually.ts";
import { checkServer } from "./check-server.ts";
import { connectDatabase, type Queryable, type ServingDb } from "./database.ts";
import { errorCodeOf, isDatabaseUnavailable } from "./database-errors.ts";
import { describeProcess } from "./primary/serving-process.ts";

const STATEMENT_TIMEOUT_MS = 300;

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
  await database.db.rows(raw("create table notes (text text primary key)"));
});
after(() => database.drop());

/** The test's connection string with these hosts instead of its own. */
function withHosts(...hosts: string[]): string {
  const own = new URL(database.connectionString).host;
  return database.connectionString.replace(own, hosts.map((host) => host || own).join(","));
}

const OWN = "";
const NOBODY = "127.0.0.1:1";

function connect(t: { after(end: () => unknown): void }, connectionString: string, poolSize = 4): ServingDb {
  const db = connectDatabase({
    connectionString,
    applicationName: "scrip test hosts",
    poolSize,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    onConnectionLost: () => {},
  });
  t.after(db.close);
  return db;
}

const backendOf = async (db: Queryable): Promise<number | undefined> =>
  (await db.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid;

test("statements, transactions and listeners use the host that responds", async (t) => {
  const db = connect(t, withHosts(NOBODY, OWN));
  await db.rows(sql`insert into notes values ('alone')`);
  await db.transaction((tx) => tx.rows(sql`insert into notes values ('together')`));
  let heard = 0;
  const listener = db.listen("notes", () => {
    heard += 1;
  });
  await eventually("the listener listens", async () => (heard > 0 ? true : undefined));
  await db.rows(sql`notify notes`);
  await eventually("the listener hears", async () => (heard > 1 ? true : undefined));
  await listener.close();
});

test("a read-only host is not used, and the error says so", async (t) => {
  const name = new URL(database.connectionString).pathname.slice(1);
  await database.db.rows(raw(`alter database ${name} set default_transaction_read_only = on`));
  t.after(() => database.db.rows(raw(`alter database ${name} reset default_transaction_read_only`)));
  const several = connect(t, withHosts(NOBODY, OWN));
  await assert.rejects(backendOf(several), (error: Error) => {
    assert.match(error.message, /ECONNREFUSED.*; .*: is read-only$/);
    return isDatabaseUnavailable(error);
  });
  assert.ok(await backendOf(connect(t, withHosts(OWN))), "a single host is used without asking");
});

test("with a heartbeat, a single read-only host counts as an outage, because a proxy can point to a standby for a while", async (t) => {
  const name = new URL(database.connectionString).pathname.slice(1);
  await database.db.rows(raw(`alter database ${name} set default_transaction_read_only = on`));
  t.after(() => database.db.rows(raw(`alter database ${name} reset default_transaction_read_only`)));
  const db = connect(t, withHosts(OWN));
  await db.watchPrimary(describeProcess("api"), {
    onBeat: () => {},
    onDoubt: () => {},
    onConfirmed: () => {},
  });
  await assert.rejects(backendOf(db), (error: Error) => {
    assert.match(error.message, /is read-only/);
    return isDatabaseUnavailable(error);
  });
});

test("a second heartbeat replaces the first", async (t) => {
  const db = connect(t, withHosts(OWN));
  const confirmed = Promise.withResolvers<void>();
  const events = { onBeat: () => {}, onDoubt: () => {}, onConfirmed: () => confirmed.resolve() };
  for (let start = 0; start < 3; start += 1) await db.watchPrimary(describeProcess("api"), events);
  await confirmed.promise;
  const beating = await database.db.rows(sql`select from processes where role = 'api'`);
  assert.equal(beating.length, 1);
});

test("a connection that becomes read-only is discarded", async (t) => {
  const db = connect(t, withHosts(OWN), 1);
  const before = await backendOf(db);
  assert.equal(await db.transaction(backendOf), before, "a working connection is kept");
  const writing = db.transaction(async (tx) => {
    await tx.rows(sql`set transaction read only`);
    await tx.rows(sql`insert into notes values ('never')`);
  });
  await assert.rejects(writing, (error) => errorCodeOf(error) === "25006" && isDatabaseUnavailable(error));
  assert.notEqual(await backendOf(db), before);
});

test("when a host becomes silent, the next statement goes to another, even if it has idle connections", async (t) => {
  const proxy = await startFaultProxy(database.connectionString);
  t.after(proxy.close);
  const db = connect(t, withHosts(new URL(proxy.connectionString).host, OWN));
  await Promise.all(THREE.map(() => db.rows(sql`select 'leaves three idle connections'`)));
  const fault = proxy.arm(/falls silent/, "stall");
  await assert.rejects(db.rows(sql`select 'falls silent'`), (error) => isDatabaseUnavailable(error));
  await fault.struck;
  for (const _ of THREE) proxy.arm(/by another way/, "stall");
  await Promise.all(THREE.map(() => db.rows(sql`select 'by another way'`)));
});

const THREE = [1, 2, 3];

test("a transaction with an ignored failed statement is not reported as committed", async (t) => {
  const db = connect(t, withHosts(OWN), 1);
  const before = await backendOf(db);
  const overlooking = db.transaction(async (tx) => {
    await tx.rows(sql`insert into notes values ('overlooked')`);
    await tx.rows(sql`select 1 / 0`).catch(() => {});
    return "done";
  });
  await assert.rejects(
    overlooking,
    (error) => errorCodeOf(error) === "25P02" && !isDatabaseUnavailable(error),
  );
  assert.deepEqual(await db.rows(sql`select from notes where text = 'overlooked'`), []);
  assert.equal(await backendOf(db), before, "nothing is wrong with the connection");
});

test("with several hosts, a missing database is reported as such", async (t) => {
  const db = connect(t, withHosts(OWN, OWN).replace(/\/[^/]*$/, "/nowhere"));
  const checking = checkServer(db);
  await assert.rejects(checking, /cannot reach the database of DATABASE_URL: .*"nowhere" does not exist/);
  await assert.rejects(checking, ({ cause }) => errorCodeOf(cause) === "3D000");
});

test("a process exits after closing, even if its host is silent", async (t) => {
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const { hostname: host, port } = new URL(database.connectionString);
    const upstream = createConnection({ host, port: Number(port) });
    for (const socket of [client, upstream]) socket.on("error", () => {});
    // Forwards data but not the end of a connection.
    client.on("data", (bytes) => upstream.write(bytes));
    upstream.on("data", (bytes) => client.write(bytes));
    t.after(() => [client.destroy(), upstream.destroy()]);
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const url = withHosts(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  const child = spawn(process.execPath, ["--input-type=module", "--eval", CLOSING_PROCESS, url], {
    stdio: ["ignore", "pipe", "inherit"],
    timeout: CHILD_MAX_MS,
    killSignal: "SIGKILL",
  });
  const printed = child.stdout.setEncoding("utf8").toArray();
  assert.deepEqual(await once(child, "exit"), [0, null]);
  assert.deepEqual(await printed, ["closed"]);
});

const CHILD_MAX_MS = 15_000;
/** Leaves two idle connections and a listener, and closes. */
const CLOSING_PROCESS = `
  const { connectDatabase } = await import(${JSON.stringify(new URL("./database.ts", import.meta.url).href)});
  const connectionString = process.argv[1];
  const db = connectDatabase({ connectionString, applicationName: "t", poolSize: 2, onConnectionLost() {} });
  const { default: sql } = await import("sql-template-tag");
  await Promise.all([db.rows(sql\`select 1\`), db.rows(sql\`select 1\`)]);
  await new Promise((resolve) => {
    const listener = db.listen("t", () => resolve(listener));
  }).then((listener) => listener.close());
  await db.close();
  process.stdout.write("closed");
`;

test("terminating a backend in use fails only its own statement", async (t) => {
  const db = connect(t, withHosts(OWN), 1);
  const ending = db.transaction(async (tx) => {
    await database.db.rows(sql`select pg_terminate_backend(${await backendOf(tx)})`);
    await eventually("the connection is broken", () =>
      tx.rows(sql`select 1`).then(
        () => undefined,
        (error) => (error.message.includes("not queryable") ? true : undefined),
      ),
    );
    await tx.rows(sql`select 1`);
  });
  await assert.rejects(ending, (error) => isDatabaseUnavailable(error));
  assert.ok(await backendOf(db));
});
