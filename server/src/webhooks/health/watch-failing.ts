import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { queueNotice } from "../../mail/queue-notice.ts";
import { failingLetter } from "./failing-letter.ts";
import {
  type FailingEndpoint,
  type FailingThresholds,
  failDeliveriesOfInactive,
  lockNextFailing,
  markTold,
} from "./failing-queries.ts";

export type WatchDeps = { db: Db; clock: Clock; log: Log };

const HOUR_MS = 3_600_000;
/** CONTRACT 6: the owner gets two letters, then the endpoint is disabled. */
const FIRST_NOTICE_MS = 24 * HOUR_MS;
const SECOND_NOTICE_MS = 72 * HOUR_MS;
/** An endpoint that fails for so long, and often enough, is disabled. */
export const DISABLE_MS = 120 * HOUR_MS;
const FAILURES_TO_DISABLE = 10;
const OWED_MS = 5 * 60_000;
/** Endpoints and deliveries of one sweep. The rest follows right after it. */
const TOLD_MAX = 100;
const ENDED_MAX = 1_000;

/** Writes to owners of failing endpoints, and disables those that have failed for too long. Returns whether more are left. */
export async function watchFailing({ db, clock, log }: WatchDeps): Promise<boolean> {
  let told = 0;
  for (; told < TOLD_MAX; told += 1) {
    const endpoint = await tellNext(db, clock.now());
    if (!endpoint) break;
    log.warn(
      { webhookId: endpoint.id, failures: endpoint.failures, told: endpoint.told },
      endpoint.told === "disabled"
        ? "endpoint disabled after five days of failed deliveries"
        : "endpoint is failing; its owner is notified",
    );
  }
  const ended = await failDeliveriesOfInactive(db, ENDED_MAX);
  return told === TOLD_MAX || ended === ENDED_MAX;
}

/** The letter and the record of it are written together, or neither is. */
const tellNext = (db: Db, now: Date): Promise<FailingEndpoint | undefined> =>
  db.transaction(async (tx) => {
    const endpoint = await lockNextFailing(tx, thresholdsAt(now));
    if (!endpoint) return undefined;
    await markTold(tx, endpoint, now);
    const kind = endpoint.told === "disabled" ? "webhook_disabled" : "webhook_failing";
    await queueNotice(tx, endpoint.resellerId, kind, failingLetter(endpoint), now);
    return endpoint;
  });

function thresholdsAt(now: Date): FailingThresholds {
  const before = (ms: number) => new Date(now.getTime() - ms);
  return {
    sinceFirst: before(FIRST_NOTICE_MS),
    sinceSecond: before(SECOND_NOTICE_MS),
    sinceDisabled: before(DISABLE_MS),
    failuresToDisable: FAILURES_TO_DISABLE,
    owedBefore: before(OWED_MS),
  };
}
