import { getSubtle } from "../web-crypto.ts";

/**
 * Opens HPKE (RFC 9180) in base mode with DHKEM(X25519, HKDF-SHA256) and HKDF-SHA256, with Web Crypto alone. Codes use
 * AES-256-GCM. AES-128-GCM is here because the RFC has test vectors for it.
 */
export type Aead = { id: number; keyBytes: number };
export const AES_256_GCM: Aead = { id: 2, keyBytes: 32 };
export const AES_128_GCM: Aead = { id: 1, keyBytes: 16 };

export type Bytes = Uint8Array<ArrayBuffer>;
export type HpkeMessage = { enc: Bytes; ciphertext: Bytes; info: Bytes; aad?: Bytes; aead?: Aead };
type Key = Awaited<ReturnType<Awaited<ReturnType<typeof getSubtle>>["importKey"]>>;
/** A private key, with the bytes of its public key. */
export type X25519Key = { privateKey: Key; publicKey: Bytes };

export const X25519_BYTES = 32;
const NONCE_BYTES = 12;
const HASH_BYTES = 32;
const X25519 = { name: "X25519" };

export async function hpkeOpen(
  { privateKey, publicKey }: X25519Key,
  { enc, ciphertext, info, aad = NOTHING, aead = AES_256_GCM }: HpkeMessage,
): Promise<Bytes> {
  const subtle = await getSubtle();
  const dh = await agree(privateKey, enc);
  const { key, nonce } = await schedule(dh, concat(enc, publicKey), info, aead);
  const cipher = await subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  return new Uint8Array(
    await subtle.decrypt({ name: "AES-GCM", iv: nonce, additionalData: aad }, cipher, ciphertext),
  );
}

/** A key from the 32 bytes of its private key. The public key is that many times the base point. */
export async function x25519KeyOf(privateBytes: Bytes): Promise<X25519Key> {
  if (privateBytes.length !== X25519_BYTES) throw new RangeError("the private key must have 32 bytes");
  const subtle = await getSubtle();
  const encoded = concat(PKCS8_HEAD, privateBytes);
  const privateKey = await subtle.importKey("pkcs8", encoded, X25519, false, ["deriveBits"]).catch(() => {
    throw new Error("This runtime's Web Crypto has no X25519.");
  });
  const basePoint = new Uint8Array(X25519_BYTES);
  basePoint[0] = 9;
  return { privateKey, publicKey: await agree(privateKey, basePoint) };
}

const PKCS8_HEAD = new Uint8Array([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32]);

async function agree(privateKey: Key, publicBytes: Bytes): Promise<Bytes> {
  const subtle = await getSubtle();
  const publicKey = await subtle.importKey("raw", publicBytes, X25519, false, []);
  return new Uint8Array(await subtle.deriveBits({ ...X25519, public: publicKey }, privateKey, 256));
}

/** RFC 9180, 4.1 (ExtractAndExpand) and 5.1 (KeySchedule of the base mode). */
async function schedule(
  dh: Bytes,
  kemContext: Bytes,
  info: Bytes,
  aead: Aead,
): Promise<{ key: Bytes; nonce: Bytes }> {
  const prk = await extract(NO_SALT, KEM, "eae_prk", dh);
  const shared = await expand(prk, KEM, "shared_secret", kemContext, HASH_BYTES);
  const suite = concat(utf8("HPKE"), twoBytes(0x20), twoBytes(1), twoBytes(aead.id));
  const context = concat(
    new Uint8Array(1),
    await extract(NO_SALT, suite, "psk_id_hash", NOTHING),
    await extract(NO_SALT, suite, "info_hash", info),
  );
  const secret = await extract(shared, suite, "secret", NOTHING);
  return {
    key: await expand(secret, suite, "key", context, aead.keyBytes),
    nonce: await expand(secret, suite, "base_nonce", context, NONCE_BYTES),
  };
}

export const utf8 = (text: string): Bytes => new TextEncoder().encode(text) as Bytes;
const twoBytes = (value: number): Bytes => new Uint8Array([value >> 8, value & 0xff]);

function concat(...parts: readonly Bytes[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const NOTHING = new Uint8Array(0);
/** As a key of HMAC it is the same as an empty one, which Web Crypto does not accept. */
const NO_SALT = new Uint8Array(HASH_BYTES);
const KEM = concat(utf8("KEM"), twoBytes(0x20));
const VERSION = utf8("HPKE-v1");

async function hmac(key: Bytes, text: Bytes): Promise<Bytes> {
  const subtle = await getSubtle();
  const imported = await subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", imported, text));
}

/** LabeledExtract. */
const extract = (salt: Bytes, suite: Bytes, label: string, ikm: Bytes): Promise<Bytes> =>
  hmac(salt, concat(VERSION, suite, utf8(label), ikm));

/** LabeledExpand. No output here is longer than one block of SHA-256. */
const expand = async (prk: Bytes, suite: Bytes, label: string, info: Bytes, length: number): Promise<Bytes> =>
  (await hmac(prk, concat(twoBytes(length), VERSION, suite, utf8(label), info, new Uint8Array([1])))).slice(
    0,
    length,
  );
