import assert from "node:assert/strict";
import { mkdtemp, readdir, realpath, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findPostmaster, removeStaleLockFile } from "./postmaster.ts";

const IMPOSSIBLE_PID = 2 ** 30;
const LONG_AGO = new Date("2020-01-01");

test("without a lock file nothing runs and nothing is removed", async (t) => {
  const directory = await makeDirectory(t);
  assert.equal(await findPostmaster(directory), undefined);
  assert.equal(await removeStaleLockFile(directory), false);
});

test("a lock file with an unused pid is left to PostgreSQL", async (t) => {
  const directory = await makeDirectory(t, `${IMPOSSIBLE_PID}\n/data\n1\n5432\n\n`);
  assert.equal(await findPostmaster(directory), undefined);
  assert.equal(await removeStaleLockFile(directory), false);
  assert.deepEqual(await readdir(directory), ["postmaster.pid"]);
});

test("a lock file with the pid of another program is removed", async (t) => {
  const directory = await makeDirectory(t, `${process.pid}\n/data\n1\n5432\n\n`);
  assert.equal(await findPostmaster(directory), undefined);
  assert.equal(await removeStaleLockFile(directory), true);
  assert.deepEqual(await readdir(directory), []);
});

test("an empty lock file is removed once it is old, because a new one may be in the process of being written", async (t) => {
  const directory = await makeDirectory(t, "");
  assert.equal(await removeStaleLockFile(directory), false);
  await utimes(join(directory, "postmaster.pid"), LONG_AGO, LONG_AGO);
  assert.equal(await removeStaleLockFile(directory), true);
});

async function makeDirectory(t: TestContext, lockFile?: string): Promise<string> {
  const directory = await realpath(await mkdtemp(join(tmpdir(), "scrip-postmaster-test-")));
  t.after(() => rm(directory, { recursive: true, force: true }));
  if (lockFile !== undefined) await writeFile(join(directory, "postmaster.pid"), lockFile);
  return directory;
}
