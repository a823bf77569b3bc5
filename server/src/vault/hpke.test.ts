import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import {
  AES_128_GCM,
  AES_256_GCM,
  hpkeOpen,
  hpkeSeal,
  isUsablePublicKey,
  publicBytesOf,
  x25519PrivateKey,
} from "./hpke.ts";

const hex = (text: string): Buffer => Buffer.from(text, "hex");
const INFO = hex("4f6465206f6e2061204772656369616e2055726e");
const PLAIN = hex("4265617574792069732074727574682c20747275746820626561757479");
const AAD = hex("436f756e742d30");

test("RFC 9180, A.1.1: X25519, HKDF-SHA256, AES-128-GCM, base mode, sealed and opened", () => {
  const recipient = x25519PrivateKey(hex("4612c550263fc8ad58375df3f557aac531d26850903e55a9f23f21d8534e8ac8"));
  const publicKey = publicBytesOf(recipient);
  assert.equal(publicKey.toString("hex"), "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d");
  const ephemeral = x25519PrivateKey(hex("52c4a758a802cd8b936eceea314432798d5baf2d7e9235dc084ab1b9cfa2f736"));
  const message = { info: INFO, aad: AAD, aead: AES_128_GCM };
  const sealed = hpkeSeal(publicKey, PLAIN, message, ephemeral);
  assert.equal(
    sealed.enc.toString("hex"),
    "37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431",
  );
  assert.equal(
    sealed.ciphertext.toString("hex"),
    "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
  );
  assert.deepEqual(hpkeOpen(recipient, sealed, message), PLAIN);
});

test("the vector of the suite that codes use, AES-256-GCM, which accompanies the RFC", () => {
  const publicKey = hex("ac66bae9ffa270cf4a89ed9f274e30c0456babae2572aaaf002ff0d8884ab018");
  const ephemeral = x25519PrivateKey(hex("28e212563a8b6f068af7ff17400ff1baf23612b7a738bbaf5dfb321b2b5b431a"));
  const { ciphertext } = hpkeSeal(publicKey, PLAIN, { info: INFO, aad: AAD, aead: AES_256_GCM }, ephemeral);
  assert.equal(
    ciphertext.toString("hex"),
    "23ded2d5d90ea89d975dac4792b297240f194952d7421aacbff0474100052b6bb8aa58d18ef6c42b6960e2e28f",
  );
});

test("what was sealed opens with its key and info alone, and any change is noticed", () => {
  const { privateKey } = generateKeyPairSync("x25519");
  const message = { info: Buffer.from("here") };
  const sealed = hpkeSeal(publicBytesOf(privateKey), PLAIN, message);
  assert.deepEqual(hpkeOpen(privateKey, sealed, message), PLAIN);
  assert.throws(() => hpkeOpen(privateKey, sealed, { info: Buffer.from("there") }));
  assert.throws(() => hpkeOpen(generateKeyPairSync("x25519").privateKey, sealed, message));
  for (let index = 0; index < sealed.ciphertext.length; index += 1) {
    const ciphertext = Buffer.from(sealed.ciphertext);
    ciphertext[index] = (ciphertext[index] ?? 0) ^ 1;
    assert.throws(() => hpkeOpen(privateKey, { ...sealed, ciphertext }, message));
  }
  const again = hpkeSeal(publicBytesOf(privateKey), PLAIN, message);
  assert.notDeepEqual(again.enc, sealed.enc);
});

/** RFC 7748 and the known list: the points of order 1, 2, 4 and 8, also in the forms beyond the prime. */
const LOW_ORDER = [
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
  "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
];

test("a key of low order, in another than its canonical form, or of the wrong length cannot be used", () => {
  for (const point of LOW_ORDER) {
    assert.equal(isUsablePublicKey(hex(point)), false, point);
    const withTopBit = hex(point);
    withTopBit[31] = (withTopBit[31] ?? 0) | 0x80;
    assert.equal(isUsablePublicKey(withTopBit), false, `${point} with its top bit`);
  }
  const good = publicBytesOf(generateKeyPairSync("x25519").privateKey);
  assert.ok(isUsablePublicKey(good));
  for (const length of [0, 1, 31, 33, 64]) assert.ok(!isUsablePublicKey(Buffer.alloc(length, 9)));
  const masked = Buffer.from(good);
  masked[31] = (masked[31] ?? 0) | 0x80;
  assert.ok(!isUsablePublicKey(masked));
});
