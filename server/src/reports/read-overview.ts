import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { type QueueDepth, readQueues } from "./needs-queries.ts";
import {
  findCompleteUntil,
  type LineSums,
  type OrderSums,
  sumLines,
  sumOrders,
  sumTimes,
} from "./report-queries.ts";
import { percentileMs } from "./time-classes.ts";

export type OverviewSpan = { by: "hour" | "day"; from: Date; to: Date };

export type BusinessOverview = {
  /** By hour or day of the span, and currency. */
  orders: readonly OrderSums[];
  /** The same by currency of the cost too. */
  lines: readonly LineSums[];
  /** Of orders that were completed today. */
  medianMs: number | undefined;
  p95Ms: number | undefined;
  today: readonly OrderSums[];
  todayLines: readonly LineSums[];
  queues: QueueDepth;
  completeUntil: Date | undefined;
};

const DAY_MS = 86_400_000;

/** How the business goes, from the roll-ups, and what the workers have before them. */
export async function readOverview(
  db: Queryable,
  environment: Tenant["environment"],
  span: OverviewSpan,
  now: Date,
): Promise<BusinessOverview> {
  const day = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
  const todayScope = { environment, by: "day", from: day, to: new Date(day.getTime() + DAY_MS) } as const;
  const [orders, lines, today, todayLines, times, queues, completeUntil] = await Promise.all([
    sumOrders(db, { environment, ...span }),
    sumLines(db, { environment, ...span }),
    sumOrders(db, todayScope),
    sumLines(db, todayScope),
    sumTimes(db, todayScope),
    readQueues(db, now),
    findCompleteUntil(db),
  ]);
  const [medianMs, p95Ms] = [percentileMs(times, 50), percentileMs(times, 95)];
  return { orders, lines, today, todayLines, medianMs, p95Ms, queues, completeUntil };
}
