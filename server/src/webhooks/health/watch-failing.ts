import { SCRIP_ITSELF } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import { emitEvents, type NewEvent } from "../../events/emit-events.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import type { Log } from "../../lib/log.ts";
import { queueNotice } from "../../mail/queue-notice.ts";
import { recordOnEndpoint } from "../endpoints/endpoint-activity.ts";
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
    const endpoint = await tellNext(db, clock);
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

/** The letter, the event and the record of both are written together, or none is. The endpoint itself gets nothing any more. */
const tellNext = (db: Db, clock: Clock): Promise<FailingEndpoint | undefined> =>
  db.transaction(async (tx) => {
    const now = clock.now();
    const endpoint = await lockNextFailing(tx, thresholdsAt(now));
    if (!endpoint) return undefined;
    await markTold(tx, endpoint, now);
    const kind = endpoint.told === "disabled" ? "webhook_disabled" : "webhook_failing";
    await queueNotice(tx, endpoint.resellerId, kind, failingLetter(endpoint), now);
    if (endpoint.told === "disabled") {
      await emitEvents(tx, [disabledEvent(endpoint)], idsOf(clock), now);
      await recordOnEndpoint(tx, clock, {
        by: SCRIP_ITSELF,
        tenant: endpoint,
        id: endpoint.id,
        action: "webhook.disabled",
        after: { active: false, failingSince: endpoint.failingSince.toISOString() },
      });
    }
    return endpoint;
  });

/** An outage disables an endpoint once. */
const disabledEvent = ({ id, resellerId, environment, failingSince }: FailingEndpoint): NewEvent => ({
  type: "endpoint.disabled",
  resellerId,
  environment,
  subject: { kind: "webhook", id },
  cause: `failing since ${failingSince.toISOString()}`,
  data: { webhook_id: id, failing_since: failingSince.toISOString() },
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
