import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Secret } from "../lib/secret.ts";

/** Master keys, newest first. The first one seals; all of them open. */
export type MasterKeys = readonly [Secret<Buffer>, ...Secret<Buffer>[]];

/** A sealed value could not be opened: wrong key, wrong context, or changed bytes. */
export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SealError";
  }
}

const FORMAT = 1;
export const KEY_ID_BYTES = 4;
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/**
 * AES-256-GCM. The context says what the value is and where it belongs. It is authenticated and not stored, so a
 * sealed value moved to another place does not open.
 */
export function seal(keys: MasterKeys, context: string, plain: Uint8Array): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const header = Buffer.concat([sealPrefix(keys), nonce]);
  const cipher = createCipheriv("aes-256-gcm", keys[0].reveal(), nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(additionalData(header, context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([header, cipher.getAuthTag(), body]);
}

export function open(keys: MasterKeys, context: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== FORMAT)
    throw new SealError("not a sealed value");
  const header = bytes.subarray(0, HEADER_BYTES);
  const key = findKey(keys, header.subarray(1, 1 + KEY_ID_BYTES));
  if (!key) throw new SealError(KEY_NOT_AT_HAND);
  const nonce = header.subarray(1 + KEY_ID_BYTES);
  const decipher = createDecipheriv("aes-256-gcm", key.reveal(), nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(additionalData(header, context));
  decipher.setAuthTag(bytes.subarray(HEADER_BYTES, HEADER_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealError(CHANGED_OR_ELSEWHERE);
  }
}

/** The same value sealed under the newest key. Undefined if it already is. */
export function reseal(keys: MasterKeys, context: string, sealed: Uint8Array): Buffer | undefined {
  const plain = open(keys, context, sealed);
  return sealPrefix(keys).equals(sealed.subarray(0, 1 + KEY_ID_BYTES))
    ? undefined
    : seal(keys, context, plain);
}

export const KEY_NOT_AT_HAND = "sealed under a master key that is not available";
export const CHANGED_OR_ELSEWHERE = "the sealed value was changed or belongs elsewhere";

/** The prefix of everything sealed under the newest key. */
export const sealPrefix = (keys: MasterKeys): Buffer => Buffer.concat([Buffer.of(FORMAT), keyIdOf(keys[0])]);

export const findKey = (keys: MasterKeys, id: Buffer): Secret<Buffer> | undefined =>
  keys.find((key) => keyIdOf(key).equals(id));

/** Identifies the key that sealed a value without revealing anything about it. */
export function keyIdOf(key: Secret<Buffer>): Buffer {
  const known = keyIds.get(key);
  if (known) return known;
  const hash = createHash("sha256").update("scrip master key id\0").update(key.reveal());
  const id = hash.digest().subarray(0, KEY_ID_BYTES);
  keyIds.set(key, id);
  return id;
}

const keyIds = new WeakMap<Secret<Buffer>, Buffer>();

const additionalData = (header: Uint8Array, context: string): Buffer =>
  Buffer.concat([header, Buffer.from(context)]);
