import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import fc from "fast-check";
import {
  AEAD_AES_128_GCM,
  AEAD_AES_256_GCM,
  CipherSuite,
  KDF_HKDF_SHA256,
  KEM_DHKEM_X25519_HKDF_SHA256,
} from "hpke";
import { hpkeOpen as openWithSdk, x25519KeyOf } from "../../../sdk/src/sealed/hpke.ts";
import { SEED } from "../../testing/seed.ts";
import { AES_128_GCM, AES_256_GCM, hpkeOpen, hpkeSeal, publicBytesOf } from "./hpke.ts";

const RUNS = 60;
const SUITES = [
  {
    aead: AES_256_GCM,
    suite: new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_256_GCM),
  },
  {
    aead: AES_128_GCM,
    suite: new CipherSuite(KEM_DHKEM_X25519_HKDF_SHA256, KDF_HKDF_SHA256, AEAD_AES_128_GCM),
  },
];
const bytes = fc.uint8Array({ maxLength: 300 });
const anything = fc.record({
  kind: fc.constantFrom(...SUITES),
  plain: bytes,
  info: bytes,
  aad: bytes,
  /** Of the private key, and which byte of the ciphertext is changed. */
  secret: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  at: fc.nat(),
});
const own = (array: Uint8Array): Uint8Array<ArrayBuffer> => new Uint8Array(array);

test("the library hpke opens what we seal, and refuses it when one bit is changed", async () => {
  await fc.assert(
    fc.asyncProperty(anything, async ({ kind: { aead, suite }, plain, info, aad, secret, at }) => {
      const { publicKey } = await x25519KeyOf(own(secret));
      const key = {
        privateKey: await suite.DeserializePrivateKey(secret, false),
        publicKey: await suite.DeserializePublicKey(publicKey),
      };
      const { enc, ciphertext } = hpkeSeal(publicKey, plain, { info, aad, aead });
      assert.deepEqual(own(await suite.Open(key, enc, ciphertext, { info, aad })), own(plain));
      ciphertext[at % ciphertext.length] = (ciphertext[at % ciphertext.length] ?? 0) ^ 1;
      await assert.rejects(suite.Open(key, enc, ciphertext, { info, aad }));
    }),
    { seed: SEED, numRuns: RUNS },
  );
});

test("the server and the SDK open what the library hpke seals", async () => {
  await fc.assert(
    fc.asyncProperty(anything, async ({ kind: { aead, suite }, plain, info, aad, secret }) => {
      const { privateKey } = generateKeyPairSync("x25519");
      const toServer = await suite.DeserializePublicKey(publicBytesOf(privateKey));
      const sealed = await suite.Seal(toServer, plain, { info, aad });
      const message = {
        enc: Buffer.from(sealed.encapsulatedSecret),
        ciphertext: Buffer.from(sealed.ciphertext),
      };
      assert.deepEqual(own(hpkeOpen(privateKey, message, { info, aad, aead })), own(plain));

      const sdkKey = await x25519KeyOf(own(secret));
      const toSdk = await suite.DeserializePublicKey(sdkKey.publicKey);
      const { encapsulatedSecret, ciphertext } = await suite.Seal(toSdk, plain, { info, aad });
      const opened = await openWithSdk(sdkKey, {
        enc: own(encapsulatedSecret),
        ciphertext: own(ciphertext),
        info: own(info),
        aad: own(aad),
        aead,
      });
      assert.deepEqual(own(opened), own(plain));
    }),
    { seed: SEED, numRuns: RUNS },
  );
});
