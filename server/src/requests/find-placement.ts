import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Actor } from "../lib/actor.ts";
import { firstIdAt, timeOfId } from "../lib/ids.ts";
import { listPlacementRows } from "./queries.ts";

/** No request takes longer: the server ends it before. */
const REQUEST_MAX_MS = 15_000;
/** Durations are rounded to milliseconds. */
const ROUNDED_MS = 1;

/**
 * The id of the request by which an order was placed: the only accepted placement of that caller that was being answered when
 * the order was made. Undefined when it is no longer in the log, or when several were answered at that moment.
 */
export async function findPlacement(
  db: Db,
  tenant: Tenant,
  order: { placedBy: Actor; createdAt: Date },
): Promise<string | undefined> {
  if (order.placedBy.kind !== "key") return undefined;
  const atMs = order.createdAt.getTime();
  const rows = await listPlacementRows(db, tenant, {
    actorId: order.placedBy.id,
    fromId: firstIdAt("req", atMs - REQUEST_MAX_MS),
    toId: firstIdAt("req", atMs + ROUNDED_MS),
  });
  const running = rows.filter(({ id, durationMs }) => timeOfId(id) + durationMs + ROUNDED_MS >= atMs);
  return running.length === 1 ? running[0]?.id : undefined;
}
