import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { makeMemoryFolder, removeMemoryFolder } from "./memory-folder.ts";

const PLENTY_BYTES = 16 * 2 ** 30;
const SHORT_BYTES = 2 ** 30;

let path: string;
before(() => {
  path = mkdtempSync(join(tmpdir(), "scrip-memory-"));
});
after(() => rmSync(path, { recursive: true, force: true }));

test("it is a new folder that every account can use", () => {
  const [one = "", other = ""] = [1, 2].map(() =>
    makeMemoryFolder({ path, freeBytes: PLENTY_BYTES, canRunPrograms: true }),
  );
  assert.equal(dirname(one), path);
  assert.notEqual(one, other);
  assert.equal(statSync(one).mode & 0o7777, 0o1777);
});

test("there is none where memory is short or programs cannot run", () => {
  assert.equal(makeMemoryFolder({ path, freeBytes: SHORT_BYTES, canRunPrograms: true }), undefined);
  assert.equal(makeMemoryFolder({ path, freeBytes: PLENTY_BYTES, canRunPrograms: false }), undefined);
});

test("the folder of a run that was killed is removed, and that of a running one is not", () => {
  const ended = spawnSync(process.execPath, ["--version"]);
  const abandoned = join(path, `scrip-tests-${ended.pid}-abcdef`);
  const used = join(path, `scrip-tests-${process.ppid}-abcdef`);
  for (const folder of [abandoned, used]) mkdirSync(join(folder, "db"), { recursive: true });
  makeMemoryFolder({ path, freeBytes: PLENTY_BYTES, canRunPrograms: true });
  assert.deepEqual([existsSync(abandoned), existsSync(used)], [false, true]);
});

test("a disk that a killed storm left mounted goes with its folder", () => {
  const folder = mkdtempSync(join(path, "scrip-tests-0-"));
  const disk = join(folder, "scrip-chaos-abcdef");
  mkdirSync(disk);
  // Where the account may not mount, a folder without a disk is left to remove.
  const { status } = spawnSync("mount", ["-t", "tmpfs", "scrip-test", disk], { stdio: "ignore" });
  if (status === 0) assert.throws(() => rmSync(folder, { recursive: true }), /busy/);
  removeMemoryFolder(folder);
  assert.equal(existsSync(folder), false);
});
