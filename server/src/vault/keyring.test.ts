import assert from "node:assert/strict";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { secret } from "../lib/secret.ts";
import { openKeyring } from "./keyring.ts";
import type { MasterKeys } from "./seal.ts";

let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "scrip-keyring-"));
});
after(() => rm(root, { recursive: true, force: true }));

test("keys from the environment take precedence over a file, in order, and nothing is written", async () => {
  const dataDir = join(root, "configured");
  const keys = [secret(Buffer.alloc(32, 1)), secret(Buffer.alloc(32, 2))];
  assert.deepEqual((await loadMasterKeys(keys, dataDir)).map(bytes), keys.map(bytes));
  await assert.rejects(stat(dataDir), { code: "ENOENT" });
});

test("the first start creates a key that only its owner can read, and the next start finds it", async () => {
  const dataDir = join(root, "first", "start");
  const [made] = await loadMasterKeys([], dataDir);
  assert.equal(made.reveal().length, 32);
  assert.equal((await stat(join(dataDir, "master.key"))).mode & 0o777, 0o600);
  assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
  assert.deepEqual((await loadMasterKeys([], dataDir)).map(bytes), [made.reveal()]);
});

test("concurrent first starts agree on one key and leave no drafts", async () => {
  const dataDir = join(root, "together");
  const loaded = await Promise.all(Array.from({ length: 20 }, () => loadMasterKeys([], dataDir)));
  assert.equal(new Set(loaded.map(([key]) => key.reveal().toString("hex"))).size, 1);
  assert.deepEqual(await readdir(dataDir), ["master.key"]);
});

test("two data directories have different keys", async () => {
  const [one] = await loadMasterKeys([], join(root, "one"));
  const [other] = await loadMasterKeys([], join(root, "other"));
  assert.notDeepEqual(one.reveal(), other.reveal());
});

test("a file without a key is refused by name, left unchanged, and its content is not quoted", async () => {
  const whole = Buffer.alloc(32, 9).toString("base64");
  const garbage = [
    "",
    "\n",
    "not a key",
    whole.slice(0, -4),
    `${whole}${whole}`,
    // Characters that a lenient decoder would skip, leaving the right length.
    whole.replace("C", "C!*"),
    whole.replace("=", ""),
    `${whole} # the key`,
    Buffer.alloc(32, 9).toString("hex"),
  ];
  for (const [index, text] of garbage.entries()) {
    const dataDir = join(root, `garbage-${index}`);
    await mkdir(dataDir);
    const path = join(dataDir, "master.key");
    await writeFile(path, text, { mode: 0o600 });
    await assert.rejects(loadMasterKeys([], dataDir), (error: Error) => {
      assert.ok(error.message.includes(path), error.message);
      assert.equal(text.length > 8 && error.message.includes(text), false);
      return true;
    });
    assert.equal(await readFile(path, "utf8"), text);
  }
});

test("an unreadable file is an error, not a reason to create another key", async () => {
  const dataDir = join(root, "unreadable");
  // No one can read a directory as a file, not even root.
  await mkdir(join(dataDir, "master.key"), { recursive: true });
  await chmod(dataDir, 0o700);
  await assert.rejects(loadMasterKeys([], dataDir), { code: "EISDIR" });
});

const loadMasterKeys = async (
  configured: Parameters<typeof openKeyring>[0],
  dataDir: string,
): Promise<MasterKeys> => (await openKeyring(configured, dataDir)).masterKeys();

const bytes = (key: { reveal(): Buffer }): Buffer => key.reveal();
