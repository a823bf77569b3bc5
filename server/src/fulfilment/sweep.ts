import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { expireStock } from "../suppliers/expire-stock.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import type { FulfilmentMetrics } from "./fulfilment-metrics.ts";
import type { FulfilmentLimits } from "./limits.ts";
import { markAlerted, readBacklog } from "./sweep-queries.ts";

export type SweepDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  metrics: FulfilmentMetrics;
  limits: FulfilmentLimits;
};

/** What has to be looked at now and then: stock that expires, supply that drifted, purchases unknown for too long. */
export async function sweep({ db, clock, log, metrics, limits }: SweepDeps): Promise<void> {
  const now = clock.now();
  await expireStock(db, now);
  await refreshSupply(db, undefined, now);
  const overdue = await markAlerted(db, now, new Date(now.getTime() - limits.alertAfterMs));
  for (const { orderId, lineIndex, unitIndex, openedAt } of overdue) {
    log.error(
      { alert: "purchase_unknown", orderId, lineIndex, unitIndex, openedAt },
      "a purchase has had no outcome for too long; ask the supplier, or write it off with: scrip order refund",
    );
  }
  metrics.show(await readBacklog(db, now));
}
