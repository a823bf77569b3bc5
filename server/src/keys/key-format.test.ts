import assert from "node:assert/strict";
import { createSecretKey } from "node:crypto";
import { test } from "node:test";
import { digestKey, generateKey, isWellFormedKey, keyPrefix } from "./key-format.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_PART = /^[0-9A-Za-z]{38}$/;
const pepper = createSecretKey(Buffer.alloc(32, 1));

test("a key is its environment's prefix, 32 random characters and a 6-character checksum, all base62", () => {
  for (const environment of ["live", "test"] as const) {
    const key = generateKey(environment);
    assert.ok(key.startsWith(`sc_${environment}_`));
    assert.equal(keyPrefix(environment), `sc_${environment}_`);
    assert.match(key.slice("sc_live_".length), RANDOM_PART);
    assert.equal(isWellFormedKey(key), true);
  }
});

test("the checksum is the CRC-32 of what precedes it, so that other programs can verify it", () => {
  for (let round = 0; round < 100; round += 1) {
    const key = generateKey("live");
    assert.equal(key.slice(-6), base62(crc32(key.slice(0, -6))));
  }
  // Computed with another program: issued keys must stay valid.
  assert.equal(isWellFormedKey(`sc_live_${"A".repeat(32)}2rNMhZ`), true);
  assert.equal(isWellFormedKey(`sc_test_${"0".repeat(32)}0cBLTK`), true);
});

test("changing, removing, adding or moving any character makes a key invalid", () => {
  const key = generateKey("test");
  for (let index = 0; index < key.length; index += 1) {
    const [head, tail] = [key.slice(0, index), key.slice(index + 1)];
    for (const character of BASE62) {
      if (character !== key[index]) assert.equal(isWellFormedKey(head + character + tail), false);
    }
    assert.equal(isWellFormedKey(head + tail), false);
    assert.equal(isWellFormedKey(`${head}a${key.slice(index)}`), false);
  }
});

test("junk is not a key", () => {
  const key = generateKey("live");
  const junk = [
    "",
    "sc_live_",
    key.toUpperCase(),
    ` ${key}`,
    `${key} `,
    `${key}\n`,
    key.replace("live", "prod"),
    key + key,
  ];
  for (const text of junk) assert.equal(isWellFormedKey(text), false, text);
});

test("every character of a key is random, and keys are unique", () => {
  const keys = Array.from({ length: 2_000 }, () => generateKey("live"));
  assert.equal(new Set(keys).size, keys.length);
  for (let index = 8; index < 40; index += 1) {
    assert.equal(new Set(keys.map((key) => key[index])).size, BASE62.length, `character ${index}`);
  }
});

test("the digest is 32 bytes and depends on the whole key and the pepper", () => {
  const key = generateKey("live");
  assert.equal(digestKey(pepper, key).length, 32);
  assert.deepEqual(digestKey(pepper, key), digestKey(pepper, key));
  assert.notDeepEqual(digestKey(pepper, key), digestKey(pepper, key.slice(0, -1)));
  assert.notDeepEqual(digestKey(pepper, key), digestKey(createSecretKey(Buffer.alloc(32, 2)), key));
});

/** CRC-32 bit by bit, as the standard describes it. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: number): string {
  let [rest, text] = [value, ""];
  for (; rest > 0; rest = Math.floor(rest / 62)) text = BASE62.charAt(rest % 62) + text;
  return text.padStart(6, "0");
}
