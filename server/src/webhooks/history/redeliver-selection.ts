import type { By } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { Problem } from "../../lib/problem.ts";
import { getActiveEndpoint } from "../endpoints/read-endpoints.ts";
import { redeliver } from "./redeliver.ts";

/** As many as a page of the list shows at most. */
export const SELECTION_MAX = 100;

/** Restarts these deliveries, and returns how many. One that is gone by now is passed over. */
export async function redeliverSelection(
  deps: { db: Db; clock: Clock; announceDeliveries: () => void },
  tenant: Tenant,
  endpointId: string,
  ids: readonly string[],
  by: By,
): Promise<number> {
  const chosen = new Set(ids);
  if (chosen.size === 0) throw new Problem("invalid_request", "Select at least one delivery.");
  if (chosen.size > SELECTION_MAX)
    throw new Problem("invalid_request", `Select at most ${SELECTION_MAX} deliveries at a time.`);
  await getActiveEndpoint(deps.db, tenant, endpointId);
  let restarted = 0;
  for (const id of chosen) {
    try {
      await redeliver(deps, tenant, id, by);
      restarted += 1;
    } catch (error) {
      if (!(error instanceof Problem && error.code === "not_found")) throw error;
    }
  }
  return restarted;
}
