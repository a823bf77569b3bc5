export const HOUR_MS = 3_600_000;
/** Few enough that the roll-ups of an hour are much fewer rows than its orders. */
export const PRODUCTS = 10;
export const SUPPLIERS = 2;
export const PRICE_MINOR = 2375;
export const COST_MINOR = 2200;
/** Orders are spread over the hour, but for its end: what is accepted in an hour also ends in it. */
export const SPREAD_MS = HOUR_MS - 10_000;
/** How long an order takes, by its number: from this many milliseconds on, and less than the sum of both. */
export const SHORTEST_MS = 200;
export const LONGEST_MORE_MS = 1_800;

/** Which orders are made. Everything about one follows from its number; `fill-chunk` says the same in SQL. */
export type Plan = {
  count: number;
  /** In milliseconds: the beginning of the first hour. */
  first: number;
  perHour: number;
  resellerIds: readonly string[];
  /** One for each reseller. */
  endpointIds: readonly string[];
};

/** The first reseller has half of the orders. */
export const sellerOf = ({ resellerIds }: Plan, n: number): number =>
  n % 2 === 0 ? 0 : 1 + (((n - 1) / 2) % (resellerIds.length - 1));

export const acceptedAt = ({ first, perHour }: Plan, n: number): number =>
  first + Math.floor(n / perHour) * HOUR_MS + Math.floor(((n % perHour) * SPREAD_MS) / perHour);

const LETTERS = Buffer.from("0123456789abcdefghjkmnpqrstvwxyz");
const TIME_CHARACTERS = 10;
const NUMBER_DIGITS = 16;
const ZERO = 48;

/** `_` and the 26 characters that follow it in the ids of an order, its entry and its code: the time, as in real ids, and the number. */
export const createIdTail = (): Buffer => Buffer.from(`_${"0".repeat(TIME_CHARACTERS + NUMBER_DIGITS)}`);

/** In place and byte by byte: a text for each id would take longer than everything else. */
export function writeIdTail(tail: Buffer, ms: number, n: number): void {
  for (let index = TIME_CHARACTERS, left = ms; index > 0; index -= 1) {
    const rest = Math.floor(left / 32);
    tail[index] = LETTERS[left - rest * 32] ?? ZERO;
    left = rest;
  }
  for (let index = TIME_CHARACTERS + NUMBER_DIGITS, left = n; left > 0; index -= 1) {
    const rest = Math.floor(left / 10);
    tail[index] = ZERO + left - rest * 10;
    left = rest;
  }
}

const HEX = Buffer.from("0123456789abcdef");

/** Digits that look random and are different for each number: every step can be undone. */
export function writeScattered(target: Buffer, n: number): void {
  for (let start = 0, seed = 1; start < target.length; start += 8, seed += 1) {
    let mixed = Math.imul(n + seed * 0x9e3779b9, 1) >>> 0;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    mixed ^= mixed >>> 16;
    for (let index = 0; index < 8; index += 1)
      target[start + index] = HEX[(mixed >>> (index * 4)) & 15] ?? ZERO;
  }
}
