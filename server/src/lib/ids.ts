import { randomFillSync } from "node:crypto";

/** The prefixes of CONTRACT 1, and `sup` for suppliers and `prc` for processes, which no reseller sees. An id tells what it names; callers treat the rest as opaque. */
export type IdPrefix =
  | "ord"
  | "prd"
  | "whk"
  | "evt"
  | "dlv"
  | "key"
  | "rsl"
  | "cod"
  | "ent"
  | "req"
  | "sup"
  | "prc";

/** A new id: the prefix and a UUIDv7 in 26 characters of Crockford base32, so that text order is time order. */
export function newId(prefix: IdPrefix, nowMs: number = Date.now()): string {
  advance(nowMs);
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const [first = 0, second = 0, third = 0] = pool.subarray(poolOffset, poolOffset + WORDS_PER_ID);
  poolOffset += WORDS_PER_ID;
  // Behind the 48 bits of time: version 7 and the sequence, the variant's two bits and two random ones, in 20 bits;
  // then 60 random bits in two halves.
  const head = (0x7000 << 4) | (sequence << 4) | 0b1000 | (first & 0b11);
  return `${prefix}_${timeText}${base32(head, 4)}${base32(second >>> 2, 6)}${base32(third >>> 2, 6)}`;
}

/** The time inside an id, in milliseconds: its first ten characters. */
export function timeOfId(id: string): number {
  let timestampMs = 0;
  const start = id.indexOf("_") + 1;
  for (let index = start; index < start + TIME_CHARACTERS; index += 1) {
    timestampMs = timestampMs * 32 + CROCKFORD.indexOf(id.charAt(index));
  }
  return timestampMs;
}

/** The smallest id that could have been made at that time: ranges of times become ranges of ids. */
export function firstIdAt(prefix: IdPrefix, timestampMs: number): string {
  const time = encodeTime(Math.min(Math.max(Math.ceil(timestampMs), 0), TIME_MAX_MS));
  return `${prefix}_${time}${"0".repeat(ID_CHARACTERS - TIME_CHARACTERS)}`;
}

/** For tests that share a process, each with a clock of its own: ids begin anew at the time that they are made. */
export function forgetLastId(): void {
  lastMs = -1;
}

const ID_CHARACTERS = 26;
const TIME_CHARACTERS = 10;
const TIME_MAX_MS = 2 ** 48 - 1;
const CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz";
const PAIRS: readonly string[] = Array.from(CROCKFORD).flatMap((high) =>
  Array.from(CROCKFORD, (low) => high + low),
);
const SEQUENCE_MAX = 0xfff;
const WORDS_PER_ID = 3;
const pool = new Uint32Array(WORDS_PER_ID * 512);
let poolOffset = pool.length;

let lastMs = -1;
let sequence = 0;
let timeText = "";

/** Ids made in one millisecond count up; past 4,096 of them the clock is borrowed from the next one. */
function advance(nowMs: number): void {
  if (nowMs <= lastMs && sequence < SEQUENCE_MAX) {
    sequence += 1;
    return;
  }
  lastMs = Math.max(nowMs, lastMs + 1);
  sequence = 0;
  timeText = encodeTime(lastMs);
}

/** 48 bits in ten characters. */
const encodeTime = (timestampMs: number): string =>
  base32(Math.floor(timestampMs / 2 ** 20), 6) + base32(timestampMs % 2 ** 20, 4);

/** A number of up to 30 bits in an even number of characters, two at a time. */
function base32(value: number, characters: number): string {
  let text = "";
  for (let shift = (characters - 2) * 5; shift >= 0; shift -= 10) text += PAIRS[(value >>> shift) & 0x3ff];
  return text;
}
