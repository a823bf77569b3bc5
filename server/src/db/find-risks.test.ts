import assert from "node:assert/strict";
import { after, before, type TestContext, test } from "node:test";
import { raw } from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { connectDatabase, type Db } from "./database.ts";
import { findRisks } from "./find-risks.ts";

let database: TestDatabase;
before(async () => {
  database = await createTestDatabase();
});
after(() => database.drop());

/** A connection with the settings of the database and the options of DATABASE_URL. */
async function connect(t: TestContext, setting: string, value: string, options = ""): Promise<Db> {
  const url = new URL(database.connectionString);
  const name = url.pathname.slice(1);
  await database.db.rows(raw(`alter database ${name} set ${setting} = '${value}'`));
  t.after(() => database.db.rows(raw(`alter database ${name} reset ${setting}`)));
  if (options !== "") url.searchParams.set("options", options);
  const db = connectDatabase({
    connectionString: url.href,
    applicationName: "scrip risks",
    poolSize: 1,
    onConnectionLost: () => {},
  });
  t.after(db.close);
  return db;
}

const about = async (db: Db, setting: string): Promise<string[]> =>
  (await findRisks(db)).filter((risk) => risk.startsWith(setting));

test("unsafe server settings are reported, each with its consequence and fix", async () => {
  // The test server runs without durability.
  const risks = await findRisks(database.db);
  assert.deepEqual(
    risks.map((risk) => risk.split(":")[0]),
    ["fsync is off", "full_page_writes is off", "synchronous_commit is off"],
  );
  for (const risk of risks) assert.match(risk, /: a (power cut|crash) .*; (turn it on|reset it)/);
});

const RISKY: readonly [setting: string, value: string, says: RegExp][] = [
  [
    "synchronous_commit",
    "off",
    /^synchronous_commit is off \(set for the database\): a crash loses acknowledged orders/,
  ],
  ["synchronous_commit", "local", /^synchronous_commit is local \(set for the database\): a failover loses/],
  ["synchronous_commit", "remote_write", /^synchronous_commit is remote_write .*: a failover loses/],
  ["client_min_messages", "error", /^client_min_messages is error: the warning .* is not sent/],
  ["session_replication_role", "replica", /^session_replication_role is replica .*: the triggers that guard/],
];
for (const [setting, value, says] of RISKY)
  test(`${setting} = ${value} for the database is reported, regardless of our session settings`, async (t) => {
    const [risk, ...others] = await about(await connect(t, setting, value), setting);
    assert.match(risk ?? "", says);
    assert.deepEqual(others, []);
  });

const SAFE: readonly [setting: string, value: string][] = [
  ["synchronous_commit", "on"],
  ["synchronous_commit", "remote_apply"],
  ["client_min_messages", "warning"],
];
for (const [setting, value] of SAFE)
  test(`${setting} = ${value} is not a risk`, async (t) => {
    assert.deepEqual(await about(await connect(t, setting, value), setting), []);
  });

test("options that lower it again are reported", async (t) => {
  const db = await connect(t, "synchronous_commit", "on", "-c synchronous_commit=off");
  assert.match(
    (await about(db, "synchronous_commit"))[0] ?? "",
    /is off \(PGOPTIONS or the options of DATABASE_URL\)/,
  );
});
