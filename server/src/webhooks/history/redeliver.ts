import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { notFound } from "../../lib/problem.ts";
import { inactiveEndpoint } from "../endpoints/read-endpoints.ts";
import { type DeliveryRow, findDelivery, restartDelivery } from "./history-queries.ts";

/** Older deliveries can still be there, but their attempts are dropped soon: the retries need a place to be recorded. */
const RESTART_DAYS = 31;
const DAY_MS = 86_400_000;

/** Restarts the delivery, whatever its status: it is due now and has all of its retries. Events are kept for 30 days (CONTRACT 6). */
export async function redeliver(
  deps: { db: Db; clock: Clock; announceDeliveries: () => void },
  tenant: Tenant,
  id: string,
  by?: By,
): Promise<DeliveryRow> {
  const oldest = firstIdAt("dlv", deps.clock.now().getTime() - RESTART_DAYS * DAY_MS);
  if (id.includes("\0") || id < oldest) throw notFound();
  const restarted = await deps.db.transaction(async (tx) => {
    const done = await restartDelivery(tx, tenant, id, deps.clock.now());
    if (done && by) {
      const object = { kind: "delivery", id };
      await recordActivity(tx, deps.clock, { ...by, ...tenant, action: "delivery.restarted", object });
    }
    return done;
  });
  if (restarted) deps.announceDeliveries();
  const row = await findDelivery(deps.db, tenant, id);
  if (!row) throw notFound();
  if (!restarted) throw inactiveEndpoint();
  return row;
}
