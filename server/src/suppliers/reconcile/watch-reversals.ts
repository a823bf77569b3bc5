import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { OpenedSupplier } from "../open-suppliers.ts";
import { SupplierUnreadable } from "../supplier.ts";
import { claimForReversals } from "./reconcile-queries.ts";
import { compareStatement } from "./reconcile-supplier.ts";

export type WatchReversalsDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  openSupplier: (supplierId: string) => Promise<OpenedSupplier | undefined>;
};

const READ_EVERY_MS = 3_600_000;
/** How long after a purchase a reversal is looked for. */
const LOOK_BACK_MS = 3 * 86_400_000;

/**
 * Reads the newest books of the next supplier and notes what it has taken back after we delivered it. Each supplier is read
 * once an hour. Nothing is refunded here: an alert asks a person. Returns whether more may be due.
 */
export async function watchNextReversals({
  db,
  clock,
  log,
  openSupplier,
}: WatchReversalsDeps): Promise<boolean> {
  const now = clock.now();
  const claimed = await claimForReversals(db, now, new Date(now.getTime() - READ_EVERY_MS));
  if (!claimed) return false;
  const { id: supplierId, kind } = claimed;
  const readStatement = (await openSupplier(supplierId))?.supplier.readStatement;
  if (!readStatement) return true;
  const period = { from: new Date(now.getTime() - LOOK_BACK_MS), to: now };
  try {
    for await (const page of readStatement(period.from, period.to)) {
      const reversed = page.filter((row) => "state" in row && row.state === "reversed");
      if (reversed.length > 0)
        await compareStatement({ db, clock }, { supplierId, kind, ...period }, [reversed]);
    }
  } catch (error) {
    if (!(error instanceof SupplierUnreadable)) throw error;
    // Until a round succeeds, a reversal there is not seen. By id only: `scrip supplier list` shows the name.
    log.warn(
      { supplierId, reason: error.reason },
      "a supplier's books could not be read; its reversals are looked for again in an hour",
    );
  }
  return true;
}
