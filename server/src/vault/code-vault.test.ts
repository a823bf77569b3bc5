import assert from "node:assert/strict";
import { createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { test } from "node:test";
import { inspect } from "node:util";
import { secret } from "../lib/secret.ts";
import { deliveredPlace, quarantinePlace, stockPlace } from "./code-place.ts";
import { createCodeVault } from "./code-vault.ts";
import { fixedKeyring, type Keyring } from "./keyring.ts";
import { keyIdOf, type MasterKeys, open as openSealed, SealError, seal } from "./seal.ts";

const newer = secret(Buffer.alloc(32, 1));
const older = secret(Buffer.alloc(32, 2));
const vault = createCodeVault(fixedKeyring([newer]));
const UNIT = { orderId: "ord_1", lineIndex: 0, unitIndex: 1 };
const PLACE = deliveredPlace(UNIT, "card");
const PLAIN = Buffer.from('{"code":"ABCD-EFGH-IJKL","pin":"1234"}');

/** The offsets of the parts of a sealed code. */
const WRAP_NONCE_AT = 5;
const WRAP_TAG_AT = 17;
const DATA_KEY_AT = 33;
const BODY_TAG_AT = 65;
const BODY_AT = 81;

test("a sealed code of any length opens in its place", () => {
  for (const length of [0, 1, 15, 16, 17, 60, 1_000, 65_536]) {
    const plain = randomBytes(length);
    const sealed = vault.seal(PLACE, plain);
    assert.equal(sealed.length, BODY_AT + length);
    assert.deepEqual(vault.open(PLACE, sealed), plain);
  }
});

test("it opens at any memory offset", () => {
  const sealed = vault.seal(PLACE, PLAIN);
  const padded = new Uint8Array(sealed.length + 7);
  padded.set(sealed, 3);
  assert.deepEqual(vault.open(PLACE, padded.subarray(3, 3 + sealed.length)), PLAIN);
});

test("flipping any bit prevents opening and rewrapping", () => {
  const rotating = createCodeVault(fixedKeyring([older, newer]));
  const sealed = vault.seal(PLACE, PLAIN);
  for (let bit = 0; bit < sealed.length * 8; bit += 1) {
    const changed = Buffer.from(sealed);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.throws(() => vault.open(PLACE, changed), SealError, `bit ${bit}`);
    assert.throws(() => rotating.rewrap(PLACE, changed), SealError, `bit ${bit}`);
  }
});

test("a truncated, extended or random value does not open", () => {
  const sealed = vault.seal(PLACE, PLAIN);
  for (let length = 0; length < sealed.length; length += 1) {
    assert.throws(() => vault.open(PLACE, sealed.subarray(0, length)), SealError, `${length} bytes`);
  }
  assert.throws(() => vault.open(PLACE, Buffer.concat([sealed, Buffer.of(0)])), SealError);
  for (const length of [0, 1, 80, 81, 82, 200]) {
    assert.throws(() => vault.open(PLACE, randomBytes(length)), SealError, `${length} bytes of junk`);
  }
});

test("in any other place it can be neither opened nor rewrapped", () => {
  const places = [
    PLACE,
    deliveredPlace({ ...UNIT, orderId: "ord_2" }, "card"),
    deliveredPlace({ ...UNIT, lineIndex: 1 }, "card"),
    deliveredPlace({ ...UNIT, unitIndex: 0 }, "card"),
    deliveredPlace(UNIT, "other card"),
    stockPlace("cod_1", "card"),
    stockPlace("cod_2", "card"),
    stockPlace("cod_1", "other card"),
    quarantinePlace("cod_1", UNIT, "card"),
    quarantinePlace("cod_2", UNIT, "card"),
    "",
    `${PLACE} `,
    PLACE.slice(0, -1),
  ];
  assert.equal(new Set(places).size, places.length);
  const rotating = createCodeVault(fixedKeyring([older, newer]));
  for (const home of places) {
    const sealed = vault.seal(home, PLAIN);
    for (const place of places.filter((one) => one !== home)) {
      assert.throws(
        () => vault.open(place, sealed),
        /was changed or belongs elsewhere/,
        `${home} in ${place}`,
      );
      assert.throws(() => rotating.rewrap(place, sealed), SealError, `${home} in ${place}`);
    }
  }
});

test("parts of two sealed codes cannot be combined, even for the same place", () => {
  const [one, other] = [vault.seal(PLACE, PLAIN), vault.seal(PLACE, PLAIN)];
  for (const at of [WRAP_NONCE_AT, WRAP_TAG_AT, DATA_KEY_AT, BODY_TAG_AT, BODY_AT]) {
    const mixed = Buffer.concat([one.subarray(0, at), other.subarray(at)]);
    // Up to the nonce both are identical, so this is the unchanged other code.
    if (at === WRAP_NONCE_AT) assert.deepEqual(vault.open(PLACE, mixed), PLAIN);
    else assert.throws(() => vault.open(PLACE, mixed), SealError, `from byte ${at}`);
  }
});

test("codes are wrapped under a derived key, not the master key", () => {
  const sealed = vault.seal(PLACE, PLAIN);
  const unwrapWith = (key: Buffer) => {
    const nonce = sealed.subarray(WRAP_NONCE_AT, WRAP_TAG_AT);
    const decipher = createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: 16 });
    decipher.setAAD(Buffer.concat([sealed.subarray(0, WRAP_NONCE_AT), Buffer.from(PLACE)]));
    decipher.setAuthTag(sealed.subarray(WRAP_TAG_AT, DATA_KEY_AT));
    return Buffer.concat([decipher.update(sealed.subarray(DATA_KEY_AT, BODY_TAG_AT)), decipher.final()]);
  };
  assert.throws(() => unwrapWith(newer.reveal()));
  const derived = Buffer.from(hkdfSync("sha256", newer.reveal(), "", "scrip codes live", 32));
  assert.notDeepEqual(derived, newer.reveal());
  assert.equal(unwrapWith(derived).length, 32);
});

test("a code cannot be opened as a server secret, nor a server secret as a code", () => {
  assert.throws(() => vault.open(PLACE, seal([newer], PLACE, randomBytes(100))), SealError);
  assert.throws(() => openSealed([newer], PLACE, vault.seal(PLACE, PLAIN)), SealError);
});

test("equal codes differ in every sealed part, and no plain text is visible", () => {
  const sealed = Array.from({ length: 2_000 }, () => vault.seal(PLACE, PLAIN));
  const ends = [WRAP_NONCE_AT, WRAP_TAG_AT, DATA_KEY_AT, BODY_TAG_AT, BODY_AT];
  for (const [index, start] of ends.entries()) {
    const parts = new Set(sealed.map((value) => value.subarray(start, ends[index + 1]).toString("hex")));
    assert.equal(parts.size, sealed.length, `from byte ${start}`);
  }
  for (const value of sealed) {
    assert.equal(value.includes("ABCD"), false);
    assert.equal(value.includes("ord_1"), false);
  }
  assert.equal(
    inspect(vault, { depth: 9, showHidden: true }).includes(newer.reveal().toString("hex")),
    false,
  );
});

test("rewrapping keeps the body, uses the newest key, and happens once", () => {
  const before = createCodeVault(fixedKeyring([older])).seal(PLACE, PLAIN);
  const rotating = createCodeVault(fixedKeyring([newer, older]));
  assert.deepEqual(rotating.open(PLACE, before), PLAIN);
  const after = rotating.rewrap(PLACE, before);
  assert.ok(after);
  assert.deepEqual(after.subarray(1, WRAP_NONCE_AT), keyIdOf(newer));
  assert.deepEqual(after.subarray(BODY_TAG_AT), before.subarray(BODY_TAG_AT));
  assert.deepEqual(vault.open(PLACE, after), PLAIN);
  assert.equal(rotating.rewrap(PLACE, after), undefined);
  assert.throws(() => createCodeVault(fixedKeyring([older])).open(PLACE, after), /not available/);
});

test("every rewrapping has its own nonce, also of the same code", () => {
  const before = createCodeVault(fixedKeyring([older])).seal(PLACE, PLAIN);
  const rotating = createCodeVault(fixedKeyring([newer, older]));
  const nonces = Array.from({ length: 100 }, () =>
    rotating.rewrap(PLACE, before)?.subarray(WRAP_NONCE_AT, WRAP_TAG_AT).toString("hex"),
  );
  assert.equal(new Set(nonces).size, nonces.length);
});

test("for an unknown key the key file is reloaded once before the code is refused", () => {
  const sealed = createCodeVault(fixedKeyring([older])).seal(PLACE, PLAIN);
  let reloads = 0;
  let keys: MasterKeys = [newer];
  const keyring: Keyring = {
    masterKeys: () => keys,
    reload: () => {
      reloads += 1;
    },
  };
  const waiting = createCodeVault(keyring);
  assert.throws(() => waiting.open(PLACE, sealed), /not available/);
  assert.equal(reloads, 1);
  keyring.reload = () => {
    keys = [older, newer];
  };
  assert.deepEqual(waiting.open(PLACE, sealed), PLAIN);
});
