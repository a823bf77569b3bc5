import type { FailureCode } from "../../suppliers/supplier.ts";
import type { Chance } from "./chance.ts";

export type PlannedLine = { productId: string; quantity: number };

export type PlannedOrder = { at: Date; reference: string; idempotencyKey: string; lines: PlannedLine[] };

/** Why units fail: all of them, or the last one of the order. */
export type PlannedFailure = { code: FailureCode; units: "all" | "last" };

/** Orders that a worker takes together, and when they end. */
export type Burst = {
  orders: PlannedOrder[];
  takenAt: Date;
  endedAt: Date;
  failure: PlannedFailure | undefined;
};

/** What one reseller buys: how many bursts on an average day, and which products, by weight. */
export type Habits = {
  prefix: string;
  burstsPerDay: number;
  products: readonly (readonly [productId: string, weight: number])[];
};

export const HISTORY_DAYS = 21;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;

/** The share of a day's orders in each hour, in UTC. Nights are quiet, evenings busy. */
const HOUR_WEIGHTS = [2, 1, 1, 1, 1, 2, 3, 5, 7, 8, 9, 9, 9, 10, 10, 10, 11, 12, 13, 13, 11, 8, 5, 3];
const WEEKEND_SHARE = 0.65;
/** The last day sells so much more than the first. */
const GROWTH = 0.35;

const FAILURES: readonly (readonly [PlannedFailure | undefined, number])[] = [
  [undefined, 94],
  [{ code: "out_of_stock", units: "all" }, 2],
  [{ code: "rejected_by_issuer", units: "all" }, 2],
  [{ code: "temporarily_unavailable", units: "all" }, 1],
  [{ code: "out_of_stock", units: "last" }, 2],
];
const BURST_SIZES: readonly (readonly [number, number])[] = [
  [1, 3],
  [2, 3],
  [3, 3],
  [4, 2],
  [5, 1],
];
const QUANTITIES: readonly (readonly [number, number])[] = [
  [1, 12],
  [2, 3],
  [3, 1],
];

/** Every burst of the days before `now`, oldest first. Pure: it follows from the chance, the time and the habits. */
export function planBursts(chance: Chance, now: Date, habits: Habits): Burst[] {
  const firstDay = Math.floor(now.getTime() / DAY_MS) - HISTORY_DAYS;
  const bursts: Burst[] = [];
  let number = 1_000;
  const nextNumber = () => {
    number += chance.between(1, 3);
    return number;
  };
  for (let day = 0; day <= HISTORY_DAYS; day += 1) {
    const dayMs = (firstDay + day) * DAY_MS;
    const count = burstsOn(chance, dayMs, day, habits);
    for (let index = 0; index < count; index += 1)
      bursts.push(planBurst(chance, dayMs + timeOfDayMs(chance), habits, nextNumber));
  }
  return bursts
    .filter(({ endedAt }) => endedAt.getTime() + 30 * SECOND_MS < now.getTime())
    .sort((a, b) => a.takenAt.getTime() - b.takenAt.getTime());
}

function burstsOn(chance: Chance, dayMs: number, day: number, { burstsPerDay }: Habits): number {
  const isWeekend = [0, 6].includes(new Date(dayMs).getUTCDay());
  const trend = 1 - GROWTH / 2 + (GROWTH * day) / HISTORY_DAYS;
  const mood = 0.85 + chance.share() * 0.3;
  return Math.round(burstsPerDay * trend * mood * (isWeekend ? WEEKEND_SHARE : 1));
}

const timeOfDayMs = (chance: Chance): number =>
  chance.pick(HOUR_WEIGHTS.map((weight, hour) => [hour, weight] as const)) * HOUR_MS +
  chance.between(0, HOUR_MS - 1);

function planBurst(chance: Chance, startMs: number, habits: Habits, nextNumber: () => number): Burst {
  const failure = chance.pick(FAILURES);
  // One that fails is alone: its refund is the next entry of the wallet.
  const size = failure ? 1 : chance.pick(BURST_SIZES);
  let atMs = startMs;
  const orders = Array.from({ length: size }, (): PlannedOrder => {
    atMs += chance.between(40, 1_500);
    const name = `${habits.prefix}-${nextNumber()}`;
    return {
      at: new Date(atMs),
      reference: name,
      idempotencyKey: `checkout-${name}`,
      lines: planLines(chance, habits, failure?.units === "last" ? 2 : 1),
    };
  });
  const takenAtMs = atMs + chance.between(20, 250);
  // Most take a second or two; a few wait for a busy worker.
  const tookMs = chance.happens(0.04) ? chance.between(12_000, 55_000) : chance.between(300, 2_400);
  return {
    orders,
    takenAt: new Date(takenAtMs),
    endedAt: new Date(takenAtMs + tookMs),
    failure,
  };
}

function planLines(chance: Chance, { products }: Habits, quantityMin: number): PlannedLine[] {
  const first = chance.pick(products);
  const lines = [{ productId: first, quantity: Math.max(quantityMin, chance.pick(QUANTITIES)) }];
  const second = chance.pick(products);
  if (second !== first && chance.happens(0.2)) lines.push({ productId: second, quantity: quantityMin });
  return lines;
}
