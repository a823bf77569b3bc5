import { randomFillSync } from "node:crypto";
import type { Clock } from "./clock.ts";

/**
 * The prefixes of CONTRACT 1, and those that no API caller sees: `sup` for suppliers, `prc` for processes, `usr` and `stf` for
 * people, `ses` for their sessions, `act` for the activity log, `prp` for proposals, `rul` for price rules, `alt` for alerts, `job` for jobs,
 * `rcn` for reconciliations, `bat` for batches of stock. An id tells
 * what it names; callers treat the rest as opaque.
 */
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
  | "prc"
  | "usr"
  | "stf"
  | "ses"
  | "act"
  | "prp"
  | "rul"
  | "alt"
  | "job"
  | "dep"
  | "rcn"
  | "bat";

/** Makes ids: the prefix and a UUIDv7 in 26 characters of Crockford base32, so that text order is time order. */
export type Ids = (prefix: IdPrefix) => string;

/**
 * A source of ids by a clock. Each id sorts after the one before, also when the clock stands still or is set back: ids of one
 * millisecond count up, and past 4,096 of them the next millisecond is borrowed.
 */
export function createIds(clock: Clock): Ids {
  let lastMs = -1;
  let sequence = 0;
  let timeText = "";
  return (prefix) => {
    const nowMs = clock.now().getTime();
    if (nowMs <= lastMs && sequence < SEQUENCE_MAX) sequence += 1;
    else {
      lastMs = Math.max(nowMs, lastMs + 1);
      sequence = 0;
      timeText = encodeTime(lastMs);
    }
    return `${prefix}_${timeText}${randomTail(sequence)}`;
  };
}

/** Whatever shares a clock shares the order of its ids. */
const sources = new WeakMap<Clock, Ids>();

/** The one source of a clock, for code that is given the clock. */
export function idsOf(clock: Clock): Ids {
  let ids = sources.get(clock);
  if (!ids) {
    ids = createIds(clock);
    sources.set(clock, ids);
  }
  return ids;
}

/** The id of the entry that pays for an order. There is one for each order, so it follows from the order's id. */
export const entryIdOf = (orderId: string): string => `ent${orderId.slice(orderId.indexOf("_"))}`;

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

/** Behind the 48 bits of time: version 7, the sequence, the variant's two bits and two random ones; then 60 random bits. */
function randomTail(sequence: number): string {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  // By index: a view of the pool for each id cost more than everything else here.
  const first = pool[poolOffset] ?? 0;
  const second = pool[poolOffset + 1] ?? 0;
  const third = pool[poolOffset + 2] ?? 0;
  poolOffset += WORDS_PER_ID;
  const head = (0x7000 << 4) | (sequence << 4) | 0b1000 | (first & 0b11);
  return base32(head, 4) + base32(second >>> 2, 6) + base32(third >>> 2, 6);
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
