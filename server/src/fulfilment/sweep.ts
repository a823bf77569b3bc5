import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { listSupplierVitals } from "../suppliers/health-queries.ts";
import { refreshSupply } from "../suppliers/refresh-supply.ts";
import { expireStock } from "../suppliers/stock/expire-stock.ts";
import type { FulfilmentMetrics } from "./fulfilment-metrics.ts";
import type { FulfilmentLimits } from "./limits.ts";
import { classOf } from "./operate/what-was-said.ts";
import { lockOverdue, markAlerted, readBacklog } from "./sweep-queries.ts";

/** The purchases that the metrics of a supplier are about. */
const VITALS_MS = 86_400_000;
const VITALS_MAX = 1_000;
/** How many are reported in one sweep. */
const ALERTS_MAX = 100;

export type SweepDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  metrics: FulfilmentMetrics;
  limits: FulfilmentLimits;
};

/** Periodic checks. If one fails, the others still run. */
export async function sweep(deps: SweepDeps): Promise<void> {
  const parts = [keepStock(deps), alertOfUnknown(deps), showBacklog(deps)];
  const failed = (await Promise.allSettled(parts)).find((part) => part.status === "rejected");
  if (failed) throw failed.reason;
}

async function keepStock({ db, clock }: SweepDeps): Promise<void> {
  await expireStock(db, clock.now());
  await refreshSupply(db, undefined, clock.now());
}

/** Marked after the alert: alerting twice after a crash is better than never. What is told is locked, so that it is marked. */
async function alertOfUnknown({ db, clock, log, limits }: SweepDeps): Promise<void> {
  const now = clock.now();
  await db.transaction(async (tx) => {
    const overdue = await lockOverdue(tx, new Date(now.getTime() - limits.alertAfterMs), ALERTS_MAX);
    for (const { orderId, lineIndex, unitIndex, openedAt, toldState } of overdue) {
      const said = classOf({ toldState });
      log.error(
        { alert: "purchase_unknown", said, orderId, lineIndex, unitIndex, openedAt },
        "a purchase has had no outcome for too long; ask the supplier, or write it off with: scrip order write-off",
      );
    }
    if (overdue.length > 0) await markAlerted(tx, overdue, now);
  });
}

async function showBacklog({ db, clock, metrics }: SweepDeps): Promise<void> {
  const now = clock.now();
  metrics.show(await readBacklog(db, now));
  metrics.showSuppliers(await listSupplierVitals(db, new Date(now.getTime() - VITALS_MS), now, VITALS_MAX));
}
