import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, type TestContext, test } from "node:test";
import { copyPrivately } from "./private-copy.ts";

const PERMISSIONS = 0o777;
const VERSION = "1.2.3";
const realTmpdir = process.env.TMPDIR;

let native: string;
let temporary: string;
let expected: string;

beforeEach(async (t) => {
  const root = await mkdtemp(join(tmpdir(), "scrip-copy-test-"));
  native = join(root, "native");
  temporary = join(root, "tmp");
  expected = join(temporary, `scrip-postgres-${VERSION}-${process.getuid?.()}`);
  await mkdir(join(native, "bin"), { recursive: true });
  await mkdir(temporary);
  await writeFile(join(native, "bin", "postgres"), "program", { mode: 0o700 });
  await writeFile(join(native, "bin", "notes"), "text", { mode: 0o600 });
  process.env.TMPDIR = temporary;
  (t as TestContext).after(async () => {
    if (realTmpdir === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = realTmpdir;
    await rm(root, { recursive: true, force: true });
  });
});

test("a copy is complete, readable for the account, and made once", async () => {
  assert.equal(await copy(), expected);
  const modeOf = async (path: string) => (await stat(join(expected, path))).mode & PERMISSIONS;
  assert.equal(await modeOf("bin/postgres"), 0o755);
  assert.equal(await modeOf("bin/notes"), 0o644);
  assert.equal(await modeOf("."), 0o700);

  const { ino } = await stat(expected);
  assert.equal(await copy(), expected);
  assert.equal((await stat(expected)).ino, ino);
});

test("an incomplete copy is replaced", async () => {
  await copy();
  await rm(join(expected, "bin", "notes"));
  assert.equal(await copy(), expected);
  assert.equal(await readFile(join(expected, "bin", "notes"), "utf8"), "text");
  assert.equal((await readdir(temporary)).length, 1);
});

test("a directory that others can write to is not used, and neither is a symbolic link", async () => {
  await copy();
  await chmod(expected, 0o777);
  const second = await copy();
  assert.notEqual(second, expected);
  assert.equal(await readFile(join(second, "bin", "postgres"), "utf8"), "program");

  await rm(expected, { recursive: true });
  await symlink(native, expected);
  assert.notEqual(await copy(), expected);
});

test("concurrent copies end up in one place", async () => {
  const places = await Promise.all([copy(), copy(), copy()]);
  assert.deepEqual(new Set(places), new Set([expected]));
  assert.equal((await readdir(temporary)).length, 1);
});

function copy(): Promise<string> {
  return copyPrivately({ version: VERSION, native }, undefined, async () => {});
}
