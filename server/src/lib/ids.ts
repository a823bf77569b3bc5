import { randomFillSync } from "node:crypto";

/** The prefixes of CONTRACT 1. An id tells what it names; callers treat the rest as opaque. */
export type IdPrefix = "ord" | "prd" | "whk" | "evt" | "dlv" | "key" | "rsl" | "cod" | "ent" | "req";

/** A new id: the prefix and a UUIDv7 in 26 characters of Crockford base32, so that text order is time order. */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  const { timestampMs, sequence } = nextTick(nowMs);
  // UUIDv7: 48 bits of time, version, 12 bits of sequence, variant, 62 random bits.
  const uuid = Buffer.alloc(16);
  uuid.writeUIntBE(timestampMs, 0, 6);
  uuid.writeUInt16BE(0x7000 | sequence, 6);
  randomTail(uuid);
  return `${prefix}_${base32(uuid)}`;
}

const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const SEQUENCE_MAX = 0xfff;
const POOL_BYTES = 8 * 512;

let lastMs = 0;
let lastSequence = 0;

/** Ids made in one millisecond count up; past 4,096 of them the clock is borrowed from the next one. */
function nextTick(nowMs: number): { timestampMs: number; sequence: number } {
  if (nowMs > lastMs) {
    lastMs = nowMs;
    lastSequence = 0;
  } else if (lastSequence < SEQUENCE_MAX) {
    lastSequence += 1;
  } else {
    lastMs += 1;
    lastSequence = 0;
  }
  return { timestampMs: lastMs, sequence: lastSequence };
}

const pool = Buffer.alloc(POOL_BYTES);
let poolOffset = POOL_BYTES;

function randomTail(uuid: Buffer): void {
  if (poolOffset === POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  pool.copy(uuid, 8, poolOffset, poolOffset + 8);
  poolOffset += 8;
  uuid[8] = 0x80 | ((uuid[8] ?? 0) & 0x3f);
}

/** 128 bits as 26 characters: the first carries the top three bits, each further one five. */
function base32(bytes: Buffer): string {
  let text = CROCKFORD.charAt((bytes[0] ?? 0) >> 5);
  let buffer = (bytes[0] ?? 0) & 0x1f;
  let bits = 5;
  for (let index = 1; index < bytes.length; index += 1) {
    buffer = (buffer << 8) | (bytes[index] ?? 0);
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += CROCKFORD.charAt((buffer >> bits) & 0x1f);
    }
    buffer &= (1 << bits) - 1;
  }
  return text;
}
