import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { findCacheFolder } from "../../../scripts/keep-compiled.mjs";

let root: string;
let modules: string;
let user: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "scrip-cache-"));
  [modules, user] = [join(root, "node_modules"), join(root, "user")];
  await mkdir(modules, { mode: 0o755 });
  await chmod(modules, 0o755);
});
afterEach(() => rm(root, { recursive: true, force: true }));

test("compiled files are cached next to the dependencies, in a folder that only its owner can use", async () => {
  const folder = findCacheFolder(modules, user);
  assert.equal(folder, join(modules, ".cache", "scrip"));
  assert.equal((await stat(folder ?? "")).mode & 0o777, 0o700);
});

test("if others can write to the dependencies, the user's own cache is used", async () => {
  await chmod(modules, 0o777);
  assert.equal(findCacheFolder(modules, user), join(user, "scrip"));
});

test("a folder that others can write to, or that is a symbolic link, is not used", async () => {
  await mkdir(join(modules, ".cache", "scrip"), { recursive: true });
  await chmod(join(modules, ".cache", "scrip"), 0o770);
  await mkdir(join(root, "elsewhere"));
  await mkdir(user);
  await symlink(join(root, "elsewhere"), join(user, "scrip"));
  assert.equal(findCacheFolder(modules, user), undefined);
});

test("without own dependencies or a writable place there is no cache and no error", () => {
  assert.equal(findCacheFolder(join(root, "none"), "/proc/none"), undefined);
  assert.equal(findCacheFolder(join(root, "none"), undefined), undefined);
});
