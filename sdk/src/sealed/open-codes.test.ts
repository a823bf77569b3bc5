import assert from "node:assert/strict";
import { test } from "node:test";
import { RECIPIENT, SEALED } from "../testing/sealed-order.ts";
import { AES_128_GCM, type Bytes, hpkeOpen, x25519KeyOf } from "./hpke.ts";
import { createEncryptionKeyPair, openCodes, SealedCodeError } from "./open-codes.ts";
import { fromBase64url, toBase64url } from "./url-text.ts";

const hex = (text: string): Bytes => new Uint8Array(Buffer.from(text, "hex"));
const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

test("RFC 9180, A.1.1: a text that was sealed to the recipient opens", async () => {
  const key = await x25519KeyOf(hex(RECIPIENT));
  assert.equal(toHex(key.publicKey), "3948cfe0ad1ddb695d780e59077195da6c56506b027329794ab02bca80815c4d");
  const message = {
    enc: hex("37fda3567bdbd628e88668c3c8d7e97d1d1253b6d4ea6d44c150f741f1bf4431"),
    ciphertext: hex(
      "f938558b5d72f1a23810b4be2ab4f84331acc02fc97babc53a52ae8218a355a96d8770ac83d07bea87e13c512a",
    ),
    info: hex("4f6465206f6e2061204772656369616e2055726e"),
    aad: hex("436f756e742d30"),
    aead: AES_128_GCM,
  };
  const plain = await hpkeOpen(key, message);
  assert.equal(toHex(plain), "4265617574792069732074727574682c20747275746820626561757479");
  await assert.rejects(hpkeOpen(key, { ...message, info: hex("00") }));
});

test("a sealed code opens with its key, and others stay as they are", async () => {
  for (const key of [toBase64url(hex(RECIPIENT)), `${toBase64url(hex(RECIPIENT))}=`, hex(RECIPIENT)]) {
    const { data } = await openCodes(SEALED, key);
    assert.deepEqual(data, [
      {
        id: "cod_1",
        lineIndex: 2,
        productId: "card",
        type: "code",
        code: "ABCD-1234",
        pin: "0042",
        deliveredAt: "2030-01-01T00:00:00.000Z",
      },
      SEALED.data[1],
    ]);
  }
});

test("a code of another unit, a changed one and one for another key do not open", async () => {
  const [code] = SEALED.data;
  assert.ok(code?.sealed);
  const changed = code.sealed.ciphertext.replace(/^./, (first) => (first === "A" ? "B" : "A"));
  for (const other of [
    { ...code, unitIndex: 6 },
    { ...code, lineIndex: 1 },
    { ...code, sealed: { ...code.sealed, ciphertext: changed } },
    { ...code, sealed: { ...code.sealed, ciphertext: "A" } },
    { ...code, sealed: { ...code.sealed, enc: "AA" } },
  ])
    await assert.rejects(openCodes({ ...SEALED, data: [other] }, hex(RECIPIENT)), SealedCodeError);
  await assert.rejects(openCodes({ ...SEALED, orderId: "ord_2" }, hex(RECIPIENT)), SealedCodeError);
  const { privateKey } = await createEncryptionKeyPair();
  await assert.rejects(openCodes(SEALED, privateKey), { name: "SealedCodeError", kid: code.sealed.kid });
  for (const bad of ["", "abc", "*", new Uint8Array(31)])
    await assert.rejects(openCodes(SEALED, bad), RangeError);
});

test("base64url goes both ways for every length", () => {
  for (let length = 0; length < 70; length += 1) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 37 + length * 11) & 0xff);
    const text = toBase64url(bytes);
    assert.equal(text, Buffer.from(bytes).toString("base64url"));
    assert.deepEqual(fromBase64url(text), bytes);
  }
  for (const bad of ["A", "A+", "a b", "AAAAA"]) assert.equal(fromBase64url(bad), undefined);
});
