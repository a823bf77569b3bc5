import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { secret } from "../lib/secret.ts";
import { type MasterKeys, open, reseal, SealError, seal } from "./seal.ts";

const newer = secret(Buffer.alloc(32, 1));
const older = secret(Buffer.alloc(32, 2));
const KEYS: MasterKeys = [newer];
const CONTEXT = "code:live:ord_1:0:prd_1";
const PLAIN = Buffer.from("ABCD-EFGH-IJKL");

test("a sealed value of any length opens with the same key and context", () => {
  for (const length of [0, 1, 15, 16, 17, 1_000, 65_536]) {
    const plain = randomBytes(length);
    assert.deepEqual(open(KEYS, CONTEXT, seal(KEYS, CONTEXT, plain)), plain);
  }
});

test("a sealed value reveals neither its content nor its context", () => {
  const sealed = seal(KEYS, CONTEXT, PLAIN);
  assert.equal(sealed.includes(PLAIN), false);
  assert.equal(sealed.includes("ord_1"), false);
});

test("flipping any bit prevents opening", () => {
  const sealed = seal(KEYS, CONTEXT, PLAIN);
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(() => open(KEYS, CONTEXT, changed), SealError, `bit ${bit}`);
  }
});

test("a truncated, extended or random value does not open", () => {
  const sealed = seal(KEYS, CONTEXT, PLAIN);
  for (let length = 0; length < sealed.length; length += 1) {
    assert.throws(() => open(KEYS, CONTEXT, sealed.subarray(0, length)), SealError, `${length} bytes`);
  }
  assert.throws(() => open(KEYS, CONTEXT, Buffer.concat([sealed, Buffer.of(0)])), SealError);
  assert.throws(() => open(KEYS, CONTEXT, randomBytes(64)), SealError);
});

test("it does not open in another context", () => {
  const sealed = seal(KEYS, CONTEXT, PLAIN);
  for (const context of [
    "",
    `${CONTEXT} `,
    "code:test:ord_1:0:prd_1",
    "code:live:ord_1:1:prd_1",
    CONTEXT.slice(0, -1),
  ]) {
    assert.throws(() => open(KEYS, context, sealed), SealError, context);
  }
});

test("after a rotation the older key still opens, and the newer one seals", () => {
  const before = seal([older], CONTEXT, PLAIN);
  const rotated: MasterKeys = [newer, older];
  assert.deepEqual(open(rotated, CONTEXT, before), PLAIN);
  const after = seal(rotated, CONTEXT, PLAIN);
  assert.deepEqual(open([newer], CONTEXT, after), PLAIN);
  assert.throws(() => open([older], CONTEXT, after), SealError);
});

test("in a rolling restart from OLD to OLD,NEW to NEW,OLD every process opens what any other seals", () => {
  const steps: [MasterKeys, MasterKeys][] = [
    [[older], [older, newer]],
    [
      [older, newer],
      [newer, older],
    ],
  ];
  for (const [before, after] of steps) {
    assert.deepEqual(open(after, CONTEXT, seal(before, CONTEXT, PLAIN)), PLAIN);
    assert.deepEqual(open(before, CONTEXT, seal(after, CONTEXT, PLAIN)), PLAIN);
  }
});

test("resealing keeps the value, uses the newest key, and happens once", () => {
  const before = seal([older], CONTEXT, PLAIN);
  const after = reseal([newer, older], CONTEXT, before);
  assert.ok(after);
  assert.deepEqual(open([newer], CONTEXT, after), PLAIN);
  assert.equal(reseal([newer, older], CONTEXT, after), undefined);
  assert.throws(() => reseal([newer, older], "elsewhere", before), SealError);
  assert.throws(() => reseal([newer, older], "elsewhere", after), SealError);
});

test("the error distinguishes an unavailable key from a changed value", () => {
  const sealed = seal([older], CONTEXT, PLAIN);
  assert.throws(() => open([newer], CONTEXT, sealed), /not available/);
  assert.throws(() => open([older], "elsewhere", sealed), /was changed or belongs elsewhere/);
});

test("every seal has a unique nonce, so equal values look different", () => {
  const sealed = Array.from({ length: 2_000 }, () => seal(KEYS, CONTEXT, PLAIN));
  const nonces = new Set(sealed.map((value) => value.subarray(5, 17).toString("hex")));
  assert.equal(nonces.size, sealed.length);
  assert.equal(new Set(sealed.map((value) => value.subarray(17).toString("hex"))).size, sealed.length);
});
