import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { type SpanRow, sumSpanRows } from "./day-queries.ts";

export type WalletDay = {
  /** Its beginning in UTC. */
  day: Date;
  /** How many orders were paid. */
  orders: number;
  refunds: number;
  /** What orders cost, less what was refunded. Below zero when more came back than was spent. */
  spentMinor: bigint;
  depositedMinor: bigint;
  adjustedMinor: bigint;
  openingMinor: bigint;
  closingMinor: bigint;
};

/** So many days of a wallet from this one on, oldest first. */
export type SumDays = (tenant: Tenant, first: Date, days: number) => Promise<WalletDay[]>;

const DAY_MS = 86_400_000;
/** About 20 MB. Then the days that were read first are forgotten, and read again when they are asked for. */
const DAYS_KEPT_MAX = 100_000;

/** The beginning of a day in UTC. */
export const dayOf = (at: Date): Date => new Date(Math.floor(at.getTime() / DAY_MS) * DAY_MS);

/** The beginning of the day so many days before. */
export const daysBefore = (at: Date, days: number): Date => new Date(dayOf(at).getTime() - days * DAY_MS);

/**
 * The days of wallets. A day that is over and was followed by another entry never changes, so it is read once in each process.
 * After that only today is read, and the cost does not depend on the number of days or of orders.
 */
export function createSumDays(db: Queryable): SumDays {
  const kept = new Map<string, WalletDay>();
  return async (tenant, first, count) => {
    const start = dayOf(first).getTime();
    const days = Array.from({ length: count }, (_, index) => start + index * DAY_MS);
    const nameOf = (day: number): string => `${tenant.resellerId} ${tenant.environment} ${day}`;
    const found = new Map<number, WalletDay>();
    for (const run of runsOf(days.filter((day) => !kept.has(nameOf(day))))) {
      for (const row of await sumSpanRows(db, tenant, boundsOf(run))) {
        const day = toDay(row);
        found.set(row.from.getTime(), day);
        if (row.isFinal) kept.set(nameOf(row.from.getTime()), day);
      }
    }
    const answer = days.flatMap((day) => found.get(day) ?? kept.get(nameOf(day)) ?? []);
    forgetFirst(kept);
    return answer;
  };
}

const forgetFirst = (kept: Map<string, WalletDay>): void => {
  for (const name of kept.keys()) {
    if (kept.size <= DAYS_KEPT_MAX) return;
    kept.delete(name);
  }
};

/** Days that follow each other are read by one statement. */
function runsOf(days: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const day of days) {
    const last = runs.at(-1);
    if (last?.at(-1) === day - DAY_MS) last.push(day);
    else runs.push([day]);
  }
  return runs;
}

const boundsOf = (run: readonly number[]): Date[] =>
  [...run, (run.at(-1) ?? 0) + DAY_MS].map((day) => new Date(day));

const toDay = (row: SpanRow): WalletDay => ({
  day: row.from,
  orders: Number(row.entries - row.deposits - row.adjustments - row.refunds),
  refunds: Number(row.refunds),
  spentMinor: row.openingMinor + row.depositedMinor + row.adjustedMinor - row.closingMinor,
  depositedMinor: row.depositedMinor,
  adjustedMinor: row.adjustedMinor,
  openingMinor: row.openingMinor,
  closingMinor: row.closingMinor,
});
