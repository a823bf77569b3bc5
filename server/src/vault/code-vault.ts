import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import type { Secret } from "../lib/secret.ts";
import { freshBytes } from "./fresh-bytes.ts";
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
      const dataKey = freshBytes(DATA_KEY_BYTES);
      const sealed = Buffer.allocUnsafe(WRAP_BYTES + TAG_BYTES + plain.length);
      writeWrap(sealed, keyring.masterKeys(), place, dataKey);
      encryptInto(sealed, WRAP_BYTES, createSecretKey(dataKey), BODY_NONCE, bodyContext(place), plain);
      return sealed;
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
      const wrap = Buffer.allocUnsafe(WRAP_BYTES);
      writeWrap(wrap, keys, place, dataKey);
      return Buffer.concat([wrap, body]);
    },
  };
}

/** The prefix of every code that is wrapped under the newest key. */
export function codePrefix([newest]: MasterKeys): Buffer {
  const known = prefixes.get(newest);
  if (known) return known;
  const prefix = Buffer.concat([FORMAT_BYTE, keyIdOf(newest)]);
  prefixes.set(newest, prefix);
  return prefix;
}

const prefixes = new WeakMap<Secret<Buffer>, Buffer>();

const FORMAT = 2;
const FORMAT_BYTE = Buffer.of(FORMAT);
/** A KeyObject is created for each use: the cipher accepts it five times faster than bytes. */
const DATA_KEY_BYTES = 32;
const HEADER_BYTES = 1 + KEY_ID_BYTES;
const WRAP_BYTES = HEADER_BYTES + NONCE_BYTES + TAG_BYTES + DATA_KEY_BYTES;
/** Reusing a key and nonce would be unsafe, but a data key only ever seals one text. */
const BODY_NONCE = Buffer.alloc(NONCE_BYTES);
const AUTH_TAG = { authTagLength: TAG_BYTES };
const WRAP_KEY_INFO = "scrip codes live";

/** The master key id is only in the wrap, because the body stays the same when the wrap is renewed. */
const bodyContext = (place: string): Buffer => contextOf(FORMAT_BYTE, place);

/** What is authenticated: a head and the place. One buffer, because several that are joined cost several times as much. */
function contextOf(head: Uint8Array, place: string): Buffer {
  const context = Buffer.allocUnsafe(head.length + Buffer.byteLength(place));
  context.set(head);
  context.write(place, head.length);
  return context;
}

/** Writes header, nonce, tag and wrapped key to the beginning of a sealed code. */
function writeWrap(sealed: Buffer, keys: MasterKeys, place: string, dataKey: Buffer): void {
  const header = codePrefix(keys);
  const nonce = freshBytes(NONCE_BYTES);
  sealed.set(header);
  sealed.set(nonce, HEADER_BYTES);
  encryptInto(
    sealed,
    HEADER_BYTES + NONCE_BYTES,
    wrappingKeyOf(keys[0]),
    nonce,
    contextOf(header, place),
    dataKey,
  );
}

function unwrapKey(keyring: Keyring, place: string, sealed: Uint8Array): { dataKey: Buffer; body: Buffer } {
  const bytes = Buffer.from(sealed.buffer, sealed.byteOffset, sealed.byteLength);
  if (bytes.length < WRAP_BYTES + TAG_BYTES || bytes[0] !== FORMAT) throw new SealError("not a sealed code");
  const header = bytes.subarray(0, HEADER_BYTES);
  const nonce = bytes.subarray(HEADER_BYTES, HEADER_BYTES + NONCE_BYTES);
  const wrapped = bytes.subarray(HEADER_BYTES + NONCE_BYTES, WRAP_BYTES);
  const key = findMasterKey(keyring, header.subarray(1));
  return {
    dataKey: decrypt(wrappingKeyOf(key), nonce, contextOf(header, place), wrapped),
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

/** AES-256-GCM, tag before text, written from there on. GCM returns all text from update, so final adds nothing. */
function encryptInto(
  sealed: Buffer,
  at: number,
  key: KeyObject,
  nonce: Buffer,
  context: Buffer,
  plain: Uint8Array,
): void {
  const cipher = createCipheriv("aes-256-gcm", key, nonce, AUTH_TAG);
  cipher.setAAD(context);
  sealed.set(cipher.update(plain), at + TAG_BYTES);
  cipher.final();
  sealed.set(cipher.getAuthTag(), at);
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
