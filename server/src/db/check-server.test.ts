import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { raw } from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { caCertificatePath } from "../../testing/receivers/tls-fixture.ts";
import { startTlsFront } from "../../testing/receivers/tls-front.ts";
import { checkServer } from "./check-server.ts";
import { connectDatabase, type Db } from "./database.ts";
import { migrate } from "./migrate.ts";

let database: TestDatabase;
let admin: Db;
let name: string;
before(async () => {
  database = await createTestDatabase();
  admin = database.db;
  name = new URL(database.connectionString).pathname.slice(1);
});
after(() => database.drop());

function connect(t: TestContext, connectionString = database.connectionString): Db {
  const db = connectDatabase({
    connectionString,
    applicationName: "scrip check",
    poolSize: 1,
    onConnectionLost: () => {},
  });
  t.after(db.close);
  return db;
}

/** Applies to new connections to the test's database until the test ends. */
async function set(t: TestContext, setting: string, value: string): Promise<void> {
  t.after(() => admin.rows(raw(`alter database ${name} reset ${setting}`)));
  await admin.rows(raw(`alter database ${name} set ${setting} to ${value}`));
}

/** Another database, dropped after the test. */
async function createDatabase(t: TestContext, options: string): Promise<string> {
  const other = `${name}_other`;
  await admin.rows(raw(`create database ${other} ${options}`));
  t.after(() => admin.rows(raw(`drop database ${other} with (force)`)));
  return database.connectionString.replace(/[^/]*$/, other);
}

test("a read-only database is refused with the reason", async (t) => {
  await set(t, "default_transaction_read_only", "on");
  await assert.rejects(checkServer(connect(t)), /is read-only: default_transaction_read_only is on/);
});

test("a search path without an existing schema is refused and named", async (t) => {
  await set(t, "search_path", "shop, other");
  await assert.rejects(
    checkServer(connect(t)),
    /no schema in search_path \(shop, other\) exists; create one/,
  );
});

test("a database with an encoding other than UTF8 is refused and its encoding named", async (t) => {
  const url = await createDatabase(t, "encoding 'LATIN1' locale_provider libc locale 'C' template template0");
  await assert.rejects(checkServer(connect(t, url)), /has the encoding LATIN1; Scrip needs UTF8/);
});

test("a role without create permission is told which migration needs it and what to grant", async (t) => {
  const url = new URL(await createDatabase(t, "template template0"));
  const role = `${name}_role`;
  await admin.rows(raw(`create role ${role} login password 'secret'`));
  t.after(() => admin.rows(raw(`drop role ${role}`)));
  [url.username, url.password] = [role, "secret"];
  await assert.rejects(
    migrate(connect(t, url.href)),
    /is not allowed to apply migration 0001.*: permission denied for schema public; grant it create on the schema, or run scrip migrate/,
  );
});

test("a role with access to the tables but no create permission is enough once all migrations are applied", async (t) => {
  const role = `${name}_user`;
  await admin.rows(raw(`create role ${role} login password 'secret'`));
  t.after(() => admin.rows(raw(`drop owned by ${role}; drop role ${role}`)));
  await admin.rows(raw(`grant select, insert, update, delete on all tables in schema public to ${role}`));
  const url = new URL(database.connectionString);
  [url.username, url.password] = [role, "secret"];
  assert.deepEqual(await migrate(connect(t, url.href)), []);
});

/** The test's database behind TLS, with a certificate of an unknown authority. */
async function hideBehindTls(t: TestContext): Promise<string> {
  const url = new URL(database.connectionString);
  const front = await startTlsFront(Number(url.port));
  t.after(front.close);
  url.host = `127.0.0.1:${front.port}`;
  // TLS from the first byte, so that the proxy need not know the protocol.
  url.search = "sslnegotiation=direct";
  return url.href;
}

test("a certificate of a private authority is refused with instructions, and accepted once they are followed", async (t) => {
  const url = await hideBehindTls(t);
  await assert.rejects(
    checkServer(connect(t, `${url}&sslmode=require`)),
    /^Error: the certificate of the database is not trusted: .*; set its authority with sslrootcert=/,
  );
  const trusted = connect(t, `${url}&sslmode=verify-full&sslrootcert=${caCertificatePath}`);
  assert.ok((await checkServer(trusted)).version);
});
