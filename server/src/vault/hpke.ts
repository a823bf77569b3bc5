import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  type KeyObject,
} from "node:crypto";
import { SealError } from "./seal.ts";

/**
 * HPKE (RFC 9180) in base mode with DHKEM(X25519, HKDF-SHA256) and HKDF-SHA256, for one message per encapsulation. Codes use
 * AES-256-GCM. AES-128-GCM is here because the RFC has test vectors for it.
 */
export type Aead = { id: number; cipher: "aes-128-gcm" | "aes-256-gcm"; keyBytes: number };
export const AES_256_GCM: Aead = { id: 2, cipher: "aes-256-gcm", keyBytes: 32 };
export const AES_128_GCM: Aead = { id: 1, cipher: "aes-128-gcm", keyBytes: 16 };

export type HpkeMessage = { info: Uint8Array; aad?: Uint8Array; aead?: Aead };
export type HpkeSealed = { enc: Buffer; ciphertext: Buffer };

export const X25519_KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HASH_BYTES = 32;
const NOTHING = Buffer.alloc(0);

/** Seals a text to a public key. Tests of the vectors choose the ephemeral key. */
export function hpkeSeal(
  publicKey: Uint8Array,
  plain: Uint8Array,
  { info, aad = NOTHING, aead = AES_256_GCM }: HpkeMessage,
  ephemeral: KeyObject = generateKeyPairSync("x25519").privateKey,
): HpkeSealed {
  const enc = publicBytesOf(ephemeral);
  const dh = agree(ephemeral, publicKey);
  const { key, nonce } = schedule(dh, Buffer.concat([enc, publicKey]), info, aead);
  const cipher = createCipheriv(aead.cipher, key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(aad);
  return { enc, ciphertext: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]) };
}

/** Opens what was sealed to this key's public key. The server has no such key: this is for tests. */
export function hpkeOpen(
  privateKey: KeyObject,
  { enc, ciphertext }: HpkeSealed,
  { info, aad = NOTHING, aead = AES_256_GCM }: HpkeMessage,
): Buffer {
  const dh = agree(privateKey, enc);
  const { key, nonce } = schedule(dh, Buffer.concat([enc, publicBytesOf(privateKey)]), info, aead);
  const decipher = createDecipheriv(aead.cipher, key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(aad);
  decipher.setAuthTag(ciphertext.subarray(ciphertext.length - TAG_BYTES));
  const plain = decipher.update(ciphertext.subarray(0, ciphertext.length - TAG_BYTES));
  try {
    decipher.final();
  } catch {
    throw new SealError("the ciphertext was changed or belongs elsewhere");
  }
  return plain;
}

/** 2^255 − 19. Coordinates from here on have a second, smaller form. */
const FIELD_PRIME = 2n ** 255n - 19n;

/**
 * Whether codes can be sealed to this key: 32 bytes in canonical form that are not a point of low order, for which the
 * shared secret would be zero and known to everyone.
 */
export function isUsablePublicKey(publicKey: Uint8Array): boolean {
  if (publicKey.length !== X25519_KEY_BYTES) return false;
  const coordinate = BigInt(`0x${Buffer.from(publicKey).reverse().toString("hex")}`);
  if (coordinate >= FIELD_PRIME) return false;
  try {
    return agree(generateKeyPairSync("x25519").privateKey, publicKey).some((byte) => byte !== 0);
  } catch {
    // OpenSSL refuses a shared secret of zero.
    return false;
  }
}

/** A private key from its bytes, for tests. */
export const x25519PrivateKey = (privateKey: Uint8Array): KeyObject =>
  createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, privateKey]), format: "der", type: "pkcs8" });

const PKCS8_HEAD = Buffer.from("302e020100300506032b656e04220420", "hex");

const SPKI_HEAD = Buffer.from("302a300506032b656e032100", "hex");
const SPKI = { format: "der", type: "spki" } as const;

/** As a JWK, because OpenSSL takes 50 µs to write the other form. */
export const publicBytesOf = (privateKey: KeyObject): Buffer =>
  Buffer.from(createPublicKey(privateKey).export({ format: "jwk" }).x ?? "", "base64url");

const agree = (privateKey: KeyObject, publicKey: Uint8Array): Buffer =>
  diffieHellman({ privateKey, publicKey: parsePublicKey(publicKey) });

/** Many codes are sealed to the same few keys, and parsing one takes as long as a tenth of sealing. */
const parsedKeys = new Map<string, KeyObject>();
const PARSED_KEYS_MAX = 100;

function parsePublicKey(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString("base64");
  const known = parsedKeys.get(name);
  if (known) return known;
  const parsed = createPublicKey({ key: Buffer.concat([SPKI_HEAD, publicKey]), ...SPKI });
  if (parsedKeys.size >= PARSED_KEYS_MAX) parsedKeys.clear();
  parsedKeys.set(name, parsed);
  return parsed;
}

/** RFC 9180, 4.1 (ExtractAndExpand) and 5.1 (KeySchedule of the base mode). */
function schedule(
  dh: Buffer,
  kemContext: Buffer,
  info: Uint8Array,
  aead: Aead,
): { key: Buffer; nonce: Buffer } {
  const shared = expand(extract(NOTHING, KEM, "eae_prk", dh), KEM, "shared_secret", kemContext, HASH_BYTES);
  const suite = Buffer.concat([Buffer.from("HPKE"), twoBytes(0x20), twoBytes(1), twoBytes(aead.id)]);
  const context = Buffer.concat([
    Buffer.of(0),
    extract(NOTHING, suite, "psk_id_hash", NOTHING),
    extract(NOTHING, suite, "info_hash", info),
  ]);
  const secret = extract(shared, suite, "secret", NOTHING);
  return {
    key: expand(secret, suite, "key", context, aead.keyBytes),
    nonce: expand(secret, suite, "base_nonce", context, NONCE_BYTES),
  };
}

const twoBytes = (value: number): Buffer => Buffer.of(value >> 8, value & 0xff);
const KEM = Buffer.concat([Buffer.from("KEM"), twoBytes(0x20)]);
const VERSION = Buffer.from("HPKE-v1");

const hmac = (key: Uint8Array, ...parts: Uint8Array[]): Buffer =>
  parts.reduce((mac, part) => mac.update(part), createHmac("sha256", key)).digest();

/** LabeledExtract. */
const extract = (salt: Buffer, suite: Buffer, label: string, ikm: Uint8Array): Buffer =>
  hmac(salt, VERSION, suite, Buffer.from(label), ikm);

/** LabeledExpand. No output here is longer than one block of SHA-256. */
const expand = (prk: Buffer, suite: Buffer, label: string, info: Buffer, bytes: number): Buffer =>
  hmac(prk, twoBytes(bytes), VERSION, suite, Buffer.from(label), info, Buffer.of(1)).subarray(0, bytes);
