import type { By } from "../../activity/record-activity.ts";
import type { Db, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { Problem } from "../../lib/problem.ts";
import { parseTimeOrDate } from "../../lib/time.ts";
import { recordOnEndpoint } from "../endpoints/endpoint-activity.ts";
import { getActiveEndpoint } from "../endpoints/read-endpoints.ts";
import { lockRecoveries, recoverDeliveries } from "./recover-queries.ts";

export type RecoverDeps = { db: Db; clock: Clock; announceDeliveries: () => void };

/** How long events are kept (CONTRACT 6). */
export const RECOVER_DAYS = 30;
const DAY_MS = 86_400_000;
/** Allowance for the caller's clock and for the time that a request takes. */
const CLOCK_SLACK_MS = 60_000;

/** Sends the events that the endpoint missed. */
export async function recoverEvents(
  deps: RecoverDeps,
  tenant: Tenant,
  id: string,
  span: { since: string; until?: string },
  by?: By,
  inTransaction?: (tx: Tx, result: { recovered: number; hasMore: boolean }) => Promise<void>,
): Promise<{ recovered: number; hasMore: boolean }> {
  const now = deps.clock.now();
  const { since, until } = readSpan(span, now);
  await getActiveEndpoint(deps.db, tenant, id);
  const recovery = {
    endpointId: id,
    // The time of an event is the time inside its id. Older events are being removed.
    fromId: firstIdAt("evt", Math.max(since.getTime(), now.getTime() - RECOVER_DAYS * DAY_MS)),
    toId: until && firstIdAt("evt", until.getTime()),
    now,
  };
  const result = await deps.db.transaction(async (tx) => {
    await lockRecoveries(tx, id);
    const recovered = await recoverDeliveries(tx, tenant, recovery);
    const after = {
      since: since.toISOString(),
      until: until?.toISOString() ?? null,
      deliveries: recovered.recovered,
    };
    await recordOnEndpoint(tx, deps.clock, { by, tenant, id, action: "webhook.recovered", after });
    await inTransaction?.(tx, recovered);
    return recovered;
  });
  if (result.recovered > 0) deps.announceDeliveries();
  return result;
}

function readSpan(
  span: { since: string; until?: string },
  now: Date,
): { since: Date; until: Date | undefined } {
  const since = readTime("since", span.since);
  const until = span.until === undefined ? undefined : readTime("until", span.until);
  if (since.getTime() < now.getTime() - RECOVER_DAYS * DAY_MS - CLOCK_SLACK_MS)
    throw invalidField(
      "since",
      `since must be at most ${RECOVER_DAYS} days ago. Events are kept for that long.`,
    );
  if (since.getTime() > now.getTime() + CLOCK_SLACK_MS)
    throw invalidField("since", "since must not be in the future.");
  if (until && until <= since) throw invalidField("until", "until must be later than since.");
  return { since, until };
}

function readTime(name: string, text: string): Date {
  const time = parseTimeOrDate(text);
  if (!time)
    throw invalidField(
      name,
      `${name} must be an RFC 3339 time, such as 2030-01-31T12:00:00Z, or a date, such as 2030-01-31.`,
    );
  return time;
}

const invalidField = (name: string, detail: string): Problem =>
  new Problem("invalid_request", detail, { errors: [{ pointer: `/${name}`, code: "invalid", detail }] });
