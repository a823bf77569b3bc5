import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import type { Secret } from "../lib/secret.ts";

/** Master keys, newest first: the first seals, all of them open. */
export type MasterKeys = readonly [Secret<Buffer>, ...Secret<Buffer>[]];

/** A sealed value could not be opened: another key, another context, or bytes that were changed. */
export class SealError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "SealError";
  }
}

const FORMAT = 1;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEADER_BYTES = 1 + KEY_ID_BYTES + NONCE_BYTES;

/**
 * AES-256-GCM. The context says what the value is and where it belongs; it is authenticated, not stored, so that a
 * sealed value moved to another place does not open.
 */
export function seal(keys: MasterKeys, context: string, plain: Uint8Array): Buffer {
  const key = keys[0].reveal();
  const nonce = randomBytes(NONCE_BYTES);
  const header = Buffer.concat([Buffer.of(FORMAT), keyId(key), nonce]);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  cipher.setAAD(additionalData(header, context));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return Buffer.concat([header, cipher.getAuthTag(), body]);
}

export function open(keys: MasterKeys, context: string, sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  if (bytes.length < HEADER_BYTES + TAG_BYTES || bytes[0] !== FORMAT)
    throw new SealError("not a sealed value");
  const header = bytes.subarray(0, HEADER_BYTES);
  const wantedId = header.subarray(1, 1 + KEY_ID_BYTES);
  const key = keys
    .map((candidate) => candidate.reveal())
    .find((candidate) => keyId(candidate).equals(wantedId));
  if (!key) throw new SealError("sealed under a master key that is not at hand");
  const decipher = createDecipheriv("aes-256-gcm", key, header.subarray(1 + KEY_ID_BYTES));
  decipher.setAAD(additionalData(header, context));
  decipher.setAuthTag(bytes.subarray(HEADER_BYTES, HEADER_BYTES + TAG_BYTES));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(HEADER_BYTES + TAG_BYTES)), decipher.final()]);
  } catch {
    throw new SealError("the sealed value was changed or belongs elsewhere");
  }
}

const additionalData = (header: Uint8Array, context: string): Buffer =>
  Buffer.concat([header, Buffer.from(context)]);

/** Tells which key sealed a value without telling anything of the key. */
const keyId = (key: Buffer): Buffer =>
  createHash("sha256").update("scrip master key id\0").update(key).digest().subarray(0, KEY_ID_BYTES);
