import type { Db, Tx } from "../../db/database.ts";
import { errorCodeOf } from "../../db/database-errors.ts";
import {
  type AttemptRecord,
  type EndpointTally,
  insertAttempts,
  pullForward,
  tallyEndpoints,
} from "./attempt-queries.ts";
import type { DeliveryLimits } from "./limits.ts";

const DEADLOCK = "40P01";
const TRIES_MAX = 3;

/**
 * Records a batch of attempts and their effect on the endpoints in one transaction. An endpoint that has recovered is
 * draining: each success pulls more of its waiting retries forward, until none is left. Attempts that lose a deadlock are recorded
 * again: otherwise their receivers would get the same deliveries again.
 */
export async function recordAttempts(
  db: Db,
  records: readonly AttemptRecord[],
  now: Date,
  limits: Pick<DeliveryLimits, "pulledForwardMax">,
  draining: Set<string>,
): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      const { recovered, drained } = await db.transaction((tx) =>
        recordIn(tx, records, now, limits, draining),
      );
      for (const endpointId of recovered) draining.add(endpointId);
      for (const endpointId of drained) draining.delete(endpointId);
      return;
    } catch (error) {
      if (errorCodeOf(error) !== DEADLOCK || tries === TRIES_MAX) throw error;
    }
  }
}

/** Which endpoints are draining from now on, and which no longer are. Both hold only once the transaction is committed. */
async function recordIn(
  tx: Tx,
  records: readonly AttemptRecord[],
  now: Date,
  limits: Pick<DeliveryLimits, "pulledForwardMax">,
  draining: ReadonlySet<string>,
): Promise<{ recovered: ReadonlySet<string>; drained: readonly string[] }> {
  const counted = await insertAttempts(tx, records);
  const tallies = tally(records.filter((record) => counted.has(record.deliveryId)));
  if (tallies.length === 0) return { recovered: new Set(), drained: [] };
  const tallied = await tallyEndpoints(tx, tallies);
  const recovered = new Set(tallied.filter((one) => one.recovered).map(({ endpointId }) => endpointId));
  const drained: string[] = [];
  for (const { endpointId } of tallies.filter(({ succeeded }) => succeeded)) {
    if (!draining.has(endpointId) && !recovered.has(endpointId)) continue;
    if (!(await pullForward(tx, endpointId, now, limits.pulledForwardMax))) drained.push(endpointId);
  }
  return { recovered, drained };
}

/** One success outweighs any number of failures. */
function tally(records: readonly AttemptRecord[]): EndpointTally[] {
  const tallies = new Map<string, EndpointTally>();
  for (const { endpointId, status, at, countsAgainst } of records) {
    const before = tallies.get(endpointId) ?? { endpointId, failures: 0, succeeded: false, at };
    tallies.set(endpointId, {
      endpointId,
      failures: before.failures + (status !== "delivered" && countsAgainst ? 1 : 0),
      succeeded: before.succeeded || status === "delivered",
      at: before.at,
    });
  }
  return [...tallies.values()];
}
