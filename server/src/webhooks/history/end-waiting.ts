import { setTimeout as wait } from "node:timers/promises";
import type { Queryable } from "../../db/database.ts";
import { failWaiting, hasWaiting } from "./history-queries.ts";

/** How many deliveries end in one statement: there may be more of them than a statement has time for. */
const ENDED_AT_ONCE_MAX = 5_000;
const HELD_PAUSE_MS = 20;
const PATIENCE_MS = 2_000;

/**
 * Ends whatever waits for an endpoint that is no longer sent anything; a recovery begins it anew. Apart from the change of
 * the endpoint, and around deliveries that a worker is writing an attempt for: it holds some and wants others and the
 * endpoint, so whoever waited for it could end in a deadlock. Those are looked for again a moment later. What is then
 * still left is not sent either, and is ended by the workers' own watch.
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
