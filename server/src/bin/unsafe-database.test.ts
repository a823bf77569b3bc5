import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import sql, { raw } from "sql-template-tag";
import { createTestDatabase, type TestDatabase } from "../../testing/database/test-database.ts";
import { runScrip, startScrip } from "../../testing/processes/run-scrip.ts";
import { findOutdated } from "../db/find-outdated.ts";

/** The server of the tests does not wait for the disk, which is what these tests are about. */
let database: TestDatabase;
let folder: string;
let env: Record<string, string>;
before(async () => {
  database = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), "scrip-unsafe-"));
  env = { DATABASE_URL: database.connectionString, DATA_DIR: folder };
});
after(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

test("in production start refuses a database that can lose what was acknowledged, in one line", async () => {
  const { code, stderr, stdout } = await runScrip(["start"], { ...env, NODE_ENV: "production" });
  assert.equal(code, 1);
  assert.equal(stdout, "");
  assert.match(
    stderr,
    /^[^\n]*the database is not safe for production: fsync is off: a power cut loses acknowledged orders[^\n]*; full_page_writes is off: [^\n]*; synchronous_commit is off: [^\n]*\n$/,
  );
});

test("elsewhere start warns of each setting and serves", async () => {
  const server = await startScrip([], env);
  const { stderr } = await server.stop("SIGTERM");
  const warnings = stderr
    .split("\n")
    .filter((line) => line.includes('"warn"') && line.includes("not safe"))
    .map((line) => /production: (\w+) is off/.exec(line)?.[1]);
  assert.deepEqual(warnings, ["fsync", "full_page_writes", "synchronous_commit"]);
});

test("start and doctor warn of a server that lacks the fixes of a newer minor, and no other", async () => {
  const [row] = await database.db.rows<{ number: string }>(
    sql`select current_setting('server_version_num') as number`,
  );
  const expected = findOutdated(Number(row?.number));
  const server = await startScrip([], env);
  const { stderr } = await server.stop("SIGTERM");
  const warnings = stderr
    .split("\n")
    .filter((line) => line.includes('"warn"') && line.includes("lacks the fixes"));
  assert.deepEqual(
    warnings.map((line) => JSON.parse(line).msg),
    expected === undefined ? [] : [expected],
  );
  const { stdout } = await runScrip(["doctor"], env);
  const [line] = stdout.split("\n").filter((one) => one.includes("updates: "));
  assert.equal(
    line,
    expected === undefined
      ? "ok    updates: no newer minor of the server was known when this was released"
      : `warn  updates: ${expected}`,
  );
  const { checks } = JSON.parse((await runScrip(["doctor", "--json"], env)).stdout);
  const [check] = checks.filter(({ name }: { name: string }) => name === "updates");
  assert.deepEqual([check.ok, check.warning], [true, expected === undefined ? undefined : true]);
});

test("doctor names each setting, and where PGOPTIONS is to blame", async () => {
  const name = new URL(database.connectionString).pathname.slice(1);
  await database.db.rows(raw(`alter database ${name} set synchronous_commit = on`));
  const options = { PGOPTIONS: "-c synchronous_commit=local -c client_min_messages=error" };
  const { code, stdout } = await runScrip(["doctor"], { ...env, ...options });
  assert.equal(code, 1);
  const [line = ""] = stdout.split("\n").filter((one) => one.includes("durability"));
  for (const setting of ["fsync is off", "full_page_writes is off", "client_min_messages is error"])
    assert.ok(line.includes(setting), line);
  assert.match(line, /^FAIL .*synchronous_commit is local \(PGOPTIONS or the options of DATABASE_URL\)/);
});
