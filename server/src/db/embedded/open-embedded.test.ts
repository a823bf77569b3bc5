import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { atEnd, makeDataDir, postmasterPid, query } from "../../../testing/database/embedded-testing.ts";
import { makeSeededDataDir, seedCluster } from "../../../testing/database/seed-cluster.ts";
import { wideTest } from "../../../testing/wide-test.ts";
import { openEmbedded } from "./open-embedded.ts";
import { isAlive } from "./process-state.ts";

const PERMISSIONS = 0o777;
const SECOND_OPEN_MS = 5_000;
const quiet = () => {};

test("the first open creates a database that only its owner can read, and close stops it", async (t) => {
  const dataDir = await makeDataDir(t);
  const lines: string[] = [];
  const database = await openEmbedded({ dataDir, log: (line) => lines.push(line) });
  const [row] = await query<{ name: string; fsync: string; zone: string; letter: string }>(
    database.connectionString,
    `select current_database() as name, current_setting('fsync') as fsync,
      current_setting('timezone') as zone, upper('ß→ä') as letter`,
  );
  assert.deepEqual(row, { name: "scrip", fsync: "on", zone: "UTC", letter: "ß→Ä" });
  assert.equal(database.startedHere, true);
  assert.deepEqual(lines, [`creating the database in ${join(dataDir, "db")}`]);

  const pid = await postmasterPid(dataDir);
  await database.close();
  assert.equal(isAlive(pid), false);
  assert.equal(database.close(), database.close(), "closing twice is the same as closing once");

  const modeOf = async (path: string) => (await stat(join(dataDir, path))).mode & PERMISSIONS;
  assert.equal(await modeOf("."), 0o700);
  assert.equal(await modeOf("db"), 0o700);
  assert.equal(await modeOf("db/data"), 0o700);
  assert.equal(await modeOf("db/access.json"), 0o600);
  assert.equal(await modeOf("postgres.log"), 0o600);
  assert.deepEqual((await readdir(dataDir)).sort(), ["db", "postgres.log"]);
  assert.deepEqual((await readdir(join(dataDir, "db"))).sort(), ["access.json", "data"]);

  const { password } = JSON.parse(await readFile(join(dataDir, "db/access.json"), "utf8"));
  assert.ok(database.connectionString.includes(password));
  const log = await readFile(join(dataDir, "postgres.log"), "utf8");
  assert.ok(!log.includes(password), "the log does not hold the password");
});

test("the second open finds the data on the same port within five seconds", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  const first = await openEmbedded({ dataDir, log: quiet });
  await query(first.connectionString, "create table kept as select 7 as value");
  await first.close();

  const begun = Date.now();
  const second = await openEmbedded({ dataDir, log: quiet, settings: { work_mem: "5MB" } });
  atEnd(t, second.close);
  assert.ok(Date.now() - begun < SECOND_OPEN_MS);
  assert.equal(second.connectionString, first.connectionString);
  assert.deepEqual(await query(second.connectionString, "select value from kept"), [{ value: 7 }]);
  assert.deepEqual(await query(second.connectionString, "show work_mem"), [{ work_mem: "5MB" }]);
});

test("a path with a space below a directory that only root can enter works", async (t) => {
  const dataDir = await makeDataDir(t, "private home");
  await mkdir(join(dataDir, ".."), { mode: 0o700 });
  await seedCluster(dataDir);
  const database = await openEmbedded({ dataDir, log: quiet });
  atEnd(t, database.close);
  assert.deepEqual(await query(database.connectionString, "select 1 as one"), [{ one: 1 }]);
});

wideTest("an occupied port is replaced, and the new one is remembered", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  const first = await openEmbedded({ dataDir, log: quiet });
  await first.close();
  const thief = createServer().listen(Number(new URL(first.connectionString).port), "127.0.0.1");
  await once(thief, "listening");
  atEnd(t, () => thief.close());

  const second = await openEmbedded({ dataDir, log: quiet });
  atEnd(t, second.close);
  assert.notEqual(second.connectionString, first.connectionString);
  const { port } = JSON.parse(await readFile(join(dataDir, "db/access.json"), "utf8"));
  assert.equal(String(port), new URL(second.connectionString).port);
});

wideTest("leftovers of a killed initdb are removed", async (t) => {
  const dataDir = await makeDataDir(t);
  const impossiblePid = 2 ** 30;
  await mkdir(join(dataDir, `db.new-${impossiblePid}-00`, "data"), { recursive: true });
  const database = await openEmbedded({ dataDir, log: quiet });
  atEnd(t, database.close);
  assert.deepEqual((await readdir(dataDir)).sort(), ["db", "postgres.log"]);
});

test("a directory that cannot be created and a server that cannot start fail with one line that says why", async (t) => {
  const root = await mkdtemp(join(tmpdir(), "scrip-embedded-test-"));
  atEnd(t, () => rm(root, { recursive: true, force: true }));
  await writeFile(join(root, "file"), "");
  await assert.rejects(
    openEmbedded({ dataDir: join(root, "file", ".scrip"), log: quiet }),
    /^Error: cannot use DATA_DIR .*ENOTDIR[^\n]*$/,
  );

  const dataDir = await makeSeededDataDir(t);
  await assert.rejects(
    openEmbedded({ dataDir, log: quiet, settings: { shared_buffers: "plenty" } }),
    /^Error: PostgreSQL failed to start: .*FATAL:.*"shared_buffers"[^\n]*$/,
  );
});
