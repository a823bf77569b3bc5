import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";
import {
  atEnd,
  dataPathOf,
  makeDataDir,
  openInProcess,
  postmasterPid,
  query,
  until,
} from "../../../testing/database/embedded-testing.ts";
import { makeSeededDataDir } from "../../../testing/database/seed-cluster.ts";
import { sizeFor } from "../../../testing/full-size.ts";
import { wideTest } from "../../../testing/wide-test.ts";
import { openEmbedded } from "./open-embedded.ts";
import { isAlive } from "./process-state.ts";

const ROUNDS = sizeFor("soak", { share: 1, full: 5 });
const quiet = () => {};

test("two processes that open an empty directory at the same time share one database", async (t) => {
  const dataDir = await makeDataDir(t);
  const openers = await Promise.all([1, 2, 3].map(() => openInProcess(t, dataDir)));
  assert.equal(new Set(openers.map((opener) => opener.connectionString)).size, 1);
  assert.equal(openers.filter((opener) => opener.startedHere).length, 1);
  const pid = await postmasterPid(dataDir);
  await Promise.all(openers.map((opener) => opener.close()));
  assert.equal(isAlive(pid), false, "the last process to leave stops it, even if all leave at once");
});

wideTest("the process that started it can leave first, and the others keep working", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  const starter = await openInProcess(t, dataDir);
  const joiner = await openEmbedded({ dataDir, log: quiet });
  assert.deepEqual([starter.startedHere, joiner.startedHere], [true, false]);
  assert.equal(joiner.connectionString, starter.connectionString);
  await starter.close();
  assert.deepEqual(await query(joiner.connectionString, "select 1 as one"), [{ one: 1 }]);
  const pid = await postmasterPid(dataDir);
  await joiner.close();
  assert.equal(isAlive(pid), false);
});

test("the database of a killed process is adopted with its data", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  const killed = await openInProcess(t, dataDir);
  await query(killed.connectionString, "create table kept as select 7 as value");
  const pid = await postmasterPid(dataDir);
  await killed.kill();

  const heir = await openEmbedded({ dataDir, log: quiet });
  assert.equal(heir.startedHere, false);
  assert.equal(await postmasterPid(dataDir), pid);
  assert.deepEqual(await query(heir.connectionString, "select value from kept"), [{ value: 7 }]);
  await heir.close();
  assert.equal(isAlive(pid), false);
});

test("a killed PostgreSQL comes back on its port with every committed row", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  const lines: string[] = [];
  const database = await openEmbedded({ dataDir, log: (line) => lines.push(line) });
  atEnd(t, database.close);
  const other = await openInProcess(t, dataDir);
  await query(database.connectionString, "create table kept as select 7 as value");
  const pid = await postmasterPid(dataDir);
  process.kill(pid, "SIGKILL");

  const rows = await until(() => query(database.connectionString, "select value from kept"));
  assert.deepEqual(rows, [{ value: 7 }]);
  await until(async () => (lines.some((line) => line.includes("on port")) ? true : undefined));
  const shares = "select from pg_locks where locktype = 'advisory' and mode = 'ShareLock' and granted";
  await until(async () => ((await query(database.connectionString, shares)).length === 2 ? true : undefined));
  // Both processes hold their lease again: the first to leave does not stop it.
  await other.close();
  assert.deepEqual(await query(database.connectionString, "select value from kept"), [{ value: 7 }]);
  assert.notEqual(await postmasterPid(dataDir), pid);
});

wideTest("closing while PostgreSQL restarts leaves nothing running", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  const database = await openEmbedded({ dataDir, log: quiet });
  const pid = await postmasterPid(dataDir);
  process.kill(pid, "SIGKILL");
  await until(async () => ((await postmasterPid(dataDir)) === pid ? undefined : true));
  await database.close();
  await assert.rejects(query(database.connectionString, "select 1"), { code: "ECONNREFUSED" });
});

wideTest("a process that arrives during the shutdown starts the database again", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  for (let round = 0; round < ROUNDS; round += 1) {
    const leaving = await openEmbedded({ dataDir, log: quiet });
    const [coming] = await Promise.all([openEmbedded({ dataDir, log: quiet }), leaving.close()]);
    assert.deepEqual(await query(coming.connectionString, "select 1 as one"), [{ one: 1 }]);
    await coming.close();
  }
});

test("a lock file whose pid now belongs to another process does not prevent the start", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  // Runs under PostgreSQL's account, so PostgreSQL itself would take it for a server.
  const { uid, gid } = await stat(dataPathOf(dataDir));
  const stranger = spawn("sleep", ["600"], { uid, gid, cwd: "/" });
  await once(stranger, "spawn");
  atEnd(t, () => stranger.kill());
  const lockFile = join(dataPathOf(dataDir), "postmaster.pid");
  await writeFile(lockFile, `${stranger.pid}\n${dataPathOf(dataDir)}\n1\n5432\n\n127.0.0.1\n1 1\nready\n`);
  await chown(lockFile, uid, gid);

  const database = await openEmbedded({ dataDir, log: quiet });
  atEnd(t, database.close);
  assert.deepEqual(await query(database.connectionString, "select 1 as one"), [{ one: 1 }]);
  assert.equal(stranger.exitCode, null);
});

wideTest("a zombie PostgreSQL is replaced", async (t) => {
  const dataDir = await makeSeededDataDir(t);
  const stopped = await openInProcess(t, dataDir);
  stopped.process.kill("SIGSTOP");
  const pid = await postmasterPid(dataDir);
  process.kill(pid, "SIGKILL");

  const database = await openEmbedded({ dataDir, log: quiet });
  atEnd(t, database.close);
  assert.equal(database.startedHere, true);
  assert.equal(database.connectionString, stopped.connectionString);
});

wideTest("root acts for the owner of a directory, who can continue alone", async (t) => {
  const uid = process.getuid?.() || 65_534;
  const gid = process.getgid?.() || 65_534;
  const dataDir = await makeDataDir(t);
  await mkdir(dataDir);
  for (const directory of [dirname(dataDir), dataDir]) await chown(directory, uid, gid);
  await (await openEmbedded({ dataDir, log: quiet })).close();

  const opener = await openInProcess(t, dataDir, { uid, gid });
  const joiner = await openEmbedded({ dataDir, log: quiet });
  assert.equal(joiner.connectionString, opener.connectionString);
  await joiner.close();
  await opener.close();
  const log = await readFile(join(dataDir, "postgres.log"), "utf8");
  assert.ok(log.trimEnd().endsWith("database system is shut down"));
});
