import assert from "node:assert/strict";
import { chmod, chown, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type AddKeyDeps, addMasterKey } from "./add-master-key.ts";
import { createCodeVault } from "./code-vault.ts";
import { KEY_FILE_LOOK_EVERY_MS, openKeyring } from "./keyring.ts";

const OLD = Buffer.alloc(32, 1);
let root: string;
let dataDir: string;
let path: string;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "scrip-add-key-"));
});
after(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  dataDir = await mkdtemp(join(root, "data-"));
  path = join(dataDir, "master.key");
  await writeFile(path, `${OLD.toString("base64")}\n`, { mode: 0o600 });
});

test("a new key is added last, and moves to the front when every process has seen it", async () => {
  const seen: string[][] = [];
  await addMasterKey(path, {
    ...alone(),
    wait: async (ms) => {
      assert.ok(ms > KEY_FILE_LOOK_EVERY_MS);
      seen.push(await lines());
    },
  });
  const [announced = [], used = []] = seen;
  assert.equal(seen.length, 2);
  assert.equal(announced.length, 2);
  assert.equal(announced[0], OLD.toString("base64"));
  assert.deepEqual(used, announced.toReversed());
  assert.deepEqual(await lines(), used);
  assert.equal((await stat(path)).mode & 0o777, 0o600);
  assert.deepEqual(await readdir(dataDir), ["master.key"]);
});

test("at every step, each process can open what any other process seals", async () => {
  let nowMs = 0;
  const clock = () => nowMs;
  const [quick, slow] = [
    await openKeyring([], dataDir, { nowMs: clock }),
    await openKeyring([], dataDir, { nowMs: clock }),
  ];
  const opens = () => {
    // One process reloads the file, the other has not yet: the second must open what the first seals without
    // reloading.
    quick.reload();
    const sealed = createCodeVault(quick).seal("place", OLD);
    const unaided = createCodeVault({ masterKeys: () => slow.masterKeys(), reload: () => {} });
    assert.deepEqual(unaided.open("place", sealed), OLD);
  };
  await addMasterKey(path, {
    ...alone(),
    wait: async (ms) => {
      opens();
      nowMs += ms;
      opens();
    },
  });
  assert.equal(quick.masterKeys().length, 2);
});

test("two concurrent additions both get their key", async () => {
  const deps = alone();
  await Promise.all([addMasterKey(path, deps), addMasterKey(path, deps), addMasterKey(path, deps)]);
  const keys = await lines();
  assert.equal(new Set(keys).size, 4);
  assert.equal(keys.at(-1), OLD.toString("base64"));
});

test("a reader during a change always finds complete keys, including the old one", async () => {
  let done = false;
  const adding = (async () => {
    for (let round = 0; round < 40; round += 1) await addMasterKey(path, alone());
    done = true;
  })();
  let reads = 0;
  while (!done) {
    const keys = (await openKeyring([], dataDir)).masterKeys();
    assert.ok(keys.some((key) => key.reveal().equals(OLD)));
    reads += 1;
    await nextTurn();
  }
  await adding;
  assert.ok(reads > 10, `${reads} reads`);
  assert.equal((await lines()).length, 41);
});

test("leftovers of a killed change do not get in the way", async () => {
  await writeFile(`${path}.draft`, "half a k", { mode: 0o600 });
  await addMasterKey(path, alone());
  assert.equal((await lines()).length, 2);
  assert.deepEqual(await readdir(dataDir), ["master.key"]);
});

test("the file keeps its owner, because the server and the operator can be different users", async (context) => {
  // Only root can change the owner. For other users it stays the same anyway.
  const isRoot = process.getuid?.() === 0;
  context.diagnostic(isRoot ? "as root: the file belongs to user 65534" : "as an ordinary user");
  if (isRoot) await chown(path, 65_534, 65_534);
  const { uid, gid } = await stat(path);
  await addMasterKey(path, alone());
  const now = await stat(path);
  assert.deepEqual([now.uid, now.gid, now.mode & 0o777], [uid, gid, 0o600]);
});

test("a missing, damaged, world-readable or full file is left unchanged", async () => {
  const fill = (text: string) => writeFile(path, text, { mode: 0o600 });
  const key = `${OLD.toString("base64")}\n`;
  const faults: [() => Promise<void>, RegExp][] = [
    [() => fill("not a key\n"), /does not contain a master key/],
    [() => fill(key.repeat(100)), /already has 100 keys/],
    [() => chmod(path, 0o644), /is readable by other users/],
  ];
  for (const [damage, expected] of faults) {
    await damage();
    const before = await readFile(path, "utf8");
    await assert.rejects(addMasterKey(path, alone()), expected);
    assert.equal(await readFile(path, "utf8"), before);
  }
  await rm(path);
  await assert.rejects(addMasterKey(path, alone()), /is missing/);
  assert.deepEqual(await readdir(dataDir), []);
});

const lines = async (): Promise<string[]> => (await readFile(path, "utf8")).trimEnd().split("\n");

/** One change at a time, without waiting. */
function alone(): AddKeyDeps {
  let last: Promise<unknown> = Promise.resolve();
  return {
    exclusively: (work) => {
      const next = last.then(work);
      last = next.catch(() => {});
      return next;
    },
    wait: async () => {},
  };
}
