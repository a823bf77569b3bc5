import { setTimeout as wait } from "node:timers/promises";
import type { Queryable } from "../../db/database.ts";
import { failWaiting, hasWaiting } from "./history-queries.ts";

/** How many deliveries one statement ends: there can be more of them than it has time for. */
const ENDED_AT_ONCE_MAX = 5_000;
const HELD_PAUSE_MS = 20;
const PATIENCE_MS = 2_000;

/**
 * Ends the waiting deliveries of an endpoint that is switched off or removed. A recovery can restart them. This runs outside
 * the transaction that changes the endpoint, and skips deliveries that a worker is recording an attempt for: that worker
 * holds deliveries and waits for the endpoint, so waiting for it could deadlock. Skipped deliveries are tried again a moment
 * later. Any that remain are not sent either, and the workers' upkeep ends them.
 */
export async function endWaiting(db: Queryable, endpointId: string): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  for (;;) {
    const ended = await failWaiting(db, endpointId, ENDED_AT_ONCE_MAX);
    if (ended === ENDED_AT_ONCE_MAX) continue;
    if (!(await hasWaiting(db, endpointId)) || performance.now() > deadlineMs) return;
    await wait(HELD_PAUSE_MS);
  }
}
