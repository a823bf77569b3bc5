import { firstIdAt } from "../../server/src/lib/ids.ts";

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

export const endedAt = (plan: Plan, n: number): number =>
  acceptedAt(plan, n) + SHORTEST_MS + (n % LONGEST_MORE_MS);

const TIME = 14;
const NUMBER_DIGITS = 16;

/** What follows the prefix in the ids of an order, its entry and its code. It begins with the time, as in real ones. */
export const idTailOf = (plan: Plan, n: number): string =>
  firstIdAt("ord", acceptedAt(plan, n)).slice(3, TIME) + String(n).padStart(NUMBER_DIGITS, "0");
