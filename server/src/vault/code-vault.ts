import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from "node:crypto";
import type { Secret } from "../lib/secret.ts";
import type { Keyring } from "./keyring.ts";
import {
  CHANGED_OR_ELSEWHERE,
  findKey,
  KEY_ID_BYTES,
  KEY_NOT_AT_HAND,
  keyIdOf,
  type MasterKeys,
  NONCE_BYTES,
  SealError,
  TAG_BYTES,
} from "./seal.ts";

/**
 * Seals codes: each has a data key, wrapped under a key that is derived from the master key only for codes. The
 * place (code-place.ts) is authenticated and not stored, so a sealed code opens nowhere else.
 */
export type CodeVault = {
  seal(place: string, plain: Uint8Array): Buffer;
  open(place: string, sealed: Uint8Array): Buffer;
  /** The same code with its data key wrapped under the newest master key. Undefined if it already is. */
  rewrap(place: string, sealed: Uint8Array): Buffer | undefined;
};

/**
 * Only for live codes: sandbox codes are never sealed. The format of a sealed code is
 *
 * format | id of the master key | nonce, tag and data key of the wrap | tag and text of the body
 */
export function createCodeVault(keyring: Keyring): CodeVault {
  return {
    seal(place, plain) {
      const fresh = randomBytes(DATA_KEY_BYTES + NONCE_BYTES);
      const dataKey = fresh.subarray(0, DATA_KEY_BYTES);
      const wrap = wrapKey(keyring.masterKeys(), fresh.subarray(DATA_KEY_BYTES), place, dataKey);
      const body = encrypt(createSecretKey(dataKey), BODY_NONCE, bodyContext(place), plain);
      return Buffer.concat([wrap, body]);
    },
    open(place, sealed) {
      const { dataKey, body } = unwrapKey(keyring, place, sealed);
      return decrypt(createSecretKey(dataKey), BODY_NONCE, bodyContext(place), body);
    },
    rewrap(place, sealed) {
      const { dataKey, body } = unwrapKey(keyring, place, sealed);
      // Detects a damaged body now instead of after a customer has paid for it.
      decrypt(createSecretKey(dataKey), BODY_NONCE, bodyContext(place), body);
      const keys = keyring.masterKeys();
      if (codePrefix(keys).equals(sealed.subarray(0, HEADER_BYTES))) return undefined;
      return Buffer.concat([wrapKey(keys, randomBytes(NONCE_BYTES), place, dataKey), body]);
    },
  };
}

/** The prefix of every code that is wrapped under the newest key. */
export const codePrefix = (keys: MasterKeys): Buffer => Buffer.concat([Buffer.of(FORMAT), keyIdOf(keys[0])]);

const FORMAT = 2;
/** A KeyObject is created for each use: the cipher accepts it five times faster than bytes. */
const DATA_KEY_BYTES = 32;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const WRAP_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES + DATA_KEY_BYTES;
/** Reusing a key and nonce would be unsafe, but a data key only ever seals one text. */
const BODY_NONCE = Buffer.alloc(NONCE_BYTES);
const AUTH_TAG = { authTagLength: TAG_BYTES };
const WRAP_KEY_INFO = "scrip codes live";

/** The master key id is only in the wrap, because the body stays the same when the wrap is renewed. */
const bodyContext = (place: string): Buffer => Buffer.concat([Buffer.of(FORMAT), Buffer.from(place)]);

const wrapContext = (header: Uint8Array, place: string): Buffer =>
  Buffer.concat([header, Buffer.from(place)]);

function wrapKey(keys: MasterKeys, nonce: Buffer, place: string, dataKey: Buffer): Buffer {
  const header = codePrefix(keys);
  return Buffer.concat([
    header,
    nonce,
    encrypt(wrappingKeyOf(keys[0]), nonce, wrapContext(header, place), dataKey),
  ]);
}

function unwrapKey(keyring: Keyring, place: string, sealed: Uint8Array): { dataKey: Buffer; body: Buffer } {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < WRAP_BYTES + TAG_BYTES || bytes[0] !== FORMAT) throw new SealError("not a sealed code");
  const header = bytes.subarray(0, HEADER_BYTES);
  const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const wrapped = bytes.subarray(HEADER_BYTES + NONCE_BYTES, WRAP_BYTES);
  const key = findMasterKey(keyring, header.subarray(1));
  return {
    dataKey: decrypt(wrappingKeyOf(key), nonce, wrapContext(header, place), wrapped),
    body: bytes.subarray(WRAP_BYTES),
  };
}

function findMasterKey(keyring: Keyring, id: Buffer): Secret<Buffer> {
  const known = findKey(keyring.masterKeys(), id);
  if (known) return known;
  // Another process may have sealed with a key that was just added.
  keyring.reload();
  const found = findKey(keyring.masterKeys(), id);
  if (!found) throw new SealError(KEY_NOT_AT_HAND);
  return found;
}

/** Derived, so that the key for codes differs from the one for server secrets and does not reveal it. */
function wrappingKeyOf(master: Secret<Buffer>): KeyObject {
  const known = wrappingKeys.get(master);
  if (known) return known;
  const derived = Buffer.from(hkdfSync("sha256", master.reveal(), "", WRAP_KEY_INFO, DATA_KEY_BYTES));
  const key = createSecretKey(derived);
  wrappingKeys.set(master, key);
  return key;
}

const wrappingKeys = new WeakMap<Secret<Buffer>, KeyObject>();

/** AES-256-GCM, tag before text. GCM returns all text from update, so final adds nothing. */
function encrypt(key: KeyObject, nonce: Buffer, context: Buffer, plain: Uint8Array): Buffer {
  const cipher = createCipheriv("aes-256-gcm", key, nonce, AUTH_TAG);
  cipher.setAAD(context);
  const text = cipher.update(plain);
  cipher.final();
  return Buffer.concat([cipher.getAuthTag(), text]);
}

function decrypt(key: KeyObject, nonce: Buffer, context: Buffer, encrypted: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, nonce, AUTH_TAG);
  decipher.setAAD(context);
  decipher.setAuthTag(encrypted.subarray(0, TAG_BYTES));
  const plain = decipher.update(encrypted.subarray(TAG_BYTES));
  try {
    decipher.final();
  } catch {
    throw new SealError(CHANGED_OR_ELSEWHERE);
  }
  return plain;
}
