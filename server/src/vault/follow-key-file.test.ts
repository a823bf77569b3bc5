import assert from "node:assert/strict";
import { chmod, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { secret } from "../lib/secret.ts";
import { createCodeVault } from "./code-vault.ts";
import { fixedKeyring, type Keyring, openKeyring } from "./keyring.ts";

const OLD = Buffer.alloc(32, 1);
const NEW = Buffer.alloc(32, 2);
const PLAIN = Buffer.from("ABCD");
let root: string;
let dataDir: string;
let path: string;
let nowMs: number;

before(async () => {
  root = await mkdtemp(join(tmpdir(), "scrip-follow-"));
});
after(() => rm(root, { recursive: true, force: true }));
beforeEach(async () => {
  dataDir = await mkdtemp(join(root, "data-"));
  path = join(dataDir, "master.key");
  nowMs = 0;
});

test("several keys are read in order, and the first one seals", async () => {
  await writeKeys(NEW, OLD);
  const keyring = await openKeyring([], dataDir);
  assert.deepEqual(reveal(keyring), [NEW, OLD]);
  const sealed = createCodeVault(keyring).seal("place", PLAIN);
  assert.deepEqual(onlyWith(NEW).open("place", sealed), PLAIN);
});

test("a changed file is noticed within a second, and is not checked more often", async () => {
  await writeKeys(OLD);
  const keyring = await openKeyring([], dataDir, { nowMs: () => nowMs });
  await writeKeys(NEW, OLD);
  nowMs = 999;
  assert.deepEqual(reveal(keyring), [OLD]);
  nowMs = 1_000;
  assert.deepEqual(reveal(keyring), [NEW, OLD]);
  await writeKeys(NEW);
  nowMs = 1_999;
  assert.deepEqual(reveal(keyring), [NEW, OLD]);
  nowMs = 2_000;
  assert.deepEqual(reveal(keyring), [NEW]);
});

test("a change that keeps length and time is noticed too", async () => {
  await writeKeys(OLD);
  const keyring = await openKeyring([], dataDir);
  for (let round = 0; round < 50; round += 1) {
    const key = Buffer.alloc(32, 10 + round);
    await writeKeys(key);
    keyring.reload();
    assert.deepEqual(reveal(keyring), [key]);
  }
});

test("a code under a key that was just added opens immediately", async () => {
  await writeKeys(OLD);
  const vault = createCodeVault(await openKeyring([], dataDir, { nowMs: () => nowMs }));
  const sealed = onlyWith(NEW).seal("place", PLAIN);
  assert.throws(() => vault.open("place", sealed), /not available/);
  await writeKeys(NEW, OLD);
  assert.deepEqual(vault.open("place", sealed), PLAIN);
});

test("a key that stays in the file stays the same object, so nothing is derived twice", async () => {
  await writeKeys(OLD);
  const keyring = await openKeyring([], dataDir);
  const [known] = keyring.masterKeys();
  await writeKeys(NEW, OLD);
  keyring.reload();
  assert.equal(keyring.masterKeys()[1], known);
});

test("while the file is missing, damaged or readable by others, the keys in memory stay in use", async () => {
  await writeKeys(OLD);
  const keyring = await openKeyring([], dataDir);
  const whole = `${NEW.toString("base64")}\n`;
  const damages: (() => Promise<void>)[] = [
    () => rm(path),
    () => writeFile(path, "", { mode: 0o600 }),
    () => writeFile(path, `${whole}half a key`, { mode: 0o600 }),
    () => writeFile(path, whole.slice(0, 20), { mode: 0o600 }),
    () => writeFile(path, `${whole}\n${whole}`, { mode: 0o600 }),
    () => writeFile(path, whole.repeat(2_000), { mode: 0o600 }),
    () => writeFile(path, whole).then(() => chmod(path, 0o640)),
  ];
  for (const [index, damage] of damages.entries()) {
    await damage();
    keyring.reload();
    assert.deepEqual(reveal(keyring), [OLD], `damage ${index}`);
  }
  await chmod(path, 0o600);
  keyring.reload();
  assert.deepEqual(reveal(keyring), [NEW]);
});

test("at startup, a file that others can read is refused with one line that says how to fix it", async () => {
  for (const mode of [0o640, 0o604, 0o620, 0o601, 0o777]) {
    await writeKeys(OLD);
    await chmod(path, mode);
    await assert.rejects(openKeyring([], dataDir), {
      message: `${path} is readable by other users; run: chmod 600 ${path}`,
    });
  }
  await chmod(path, 0o400);
  assert.deepEqual(reveal(await openKeyring([], dataDir)), [OLD]);
});

test("keys from the environment stay in use, whatever happens to a file", async () => {
  await writeKeys(OLD);
  const keyring = await openKeyring([secret(NEW)], dataDir, { nowMs: () => nowMs });
  nowMs = 5_000;
  keyring.reload();
  assert.deepEqual(reveal(keyring), [NEW]);
});

/** As an operator's tool would: writes a complete file under another name and renames it. */
async function writeKeys(...keys: Buffer[]): Promise<void> {
  const text = keys.map((key) => `${key.toString("base64")}\n`).join("");
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

const reveal = (keyring: Keyring): Buffer[] => keyring.masterKeys().map((key) => key.reveal());

const onlyWith = (key: Buffer) => createCodeVault(fixedKeyring([secret(key)]));
