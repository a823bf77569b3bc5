import type { Db } from "../../db/database.ts";
import { emitEvents } from "../../events/emit-events.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import { listDueNotices, markTold } from "./notice-queries.ts";

/** An endpoint gets at most one `catalog.changed` in this time. */
export const NOTICE_EVERY_MS = 60_000;
const NOTICES_MAX = 100;

/**
 * Tells the endpoints that subscribe to `catalog.changed` that their catalog has changed. What was told is marked in the transaction of the
 * event, under the lock of its row, so any number of processes tell each change once. Returns whether more may be left.
 */
export async function announceChanges({ db, clock }: { db: Db; clock: Clock }): Promise<boolean> {
  const now = clock.now();
  const before = new Date(now.getTime() - NOTICE_EVERY_MS);
  const due = await listDueNotices(db, before, NOTICES_MAX);
  for (const { resellerId, environment, head } of due)
    await db.transaction(async (tx) => {
      const tenant = { resellerId, environment };
      if (!(await markTold(tx, tenant, { head, before, now }))) return;
      await emitEvents(
        tx,
        [
          {
            ...tenant,
            type: "catalog.changed",
            subject: { kind: "catalog", id: resellerId },
            cause: `${environment} change ${head}`,
            data: { noticed_at: now.toISOString() },
          },
        ],
        idsOf(clock),
        now,
      );
    });
  return due.length === NOTICES_MAX;
}
