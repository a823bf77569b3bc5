import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import { NO_ID } from "../../lib/slice.ts";
import type { EndpointRow } from "../endpoints/endpoint-queries.ts";
import { DISABLE_MS } from "./watch-failing.ts";

export type EndpointHealth = {
  /** `retrying`: it has failed since its last success, but not yet often or long enough to be called failing. */
  state: "active" | "retrying" | "failing" | "disabled";
  /** Of the last deliveries that were tried, how many there are, at most RECENT_MAX, and how many of them failed. */
  recent: { tried: number; failed: number };
  /** The latest success among the newest deliveries. */
  lastSuccessAt: Date | undefined;
  /** Whether older deliveries were not looked through for it. */
  hasOlder: boolean;
  failingSince: Date | undefined;
  /** When the endpoint is disabled unless a delivery succeeds before. */
  disabledAt: Date | undefined;
};

/** How many of an endpoint's deliveries are looked through for its last success, so that the cost stays the same. */
export const SUCCESS_LOOKED_MAX = 100;

/** How many of the last deliveries a person is shown a share of. */
const RECENT_MAX = 5;
/** One failure, or several within a restart of the receiver, is no reason for alarm. */
const FAILURES_TO_FAIL = 2;
const FAILING_AFTER_MS = 2 * 60_000;

type Judged = Pick<EndpointRow, "id" | "active" | "failingSince">;
type Found = { failures: number; lastSuccessAt: Date | null; looked: number; tried: number; failed: number };

/** The health of these endpoints, by their ids. They are known to be the caller's. */
export async function readHealth(
  db: Queryable,
  endpoints: readonly Judged[],
  now: Date,
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const rows = await db.rows<Found & { id: string }>(sql`
    select e.id, e.failures, newest."lastSuccessAt", newest.looked, newest.tried, newest.failed
    from webhook_endpoints e
    cross join lateral (
      select max(looked.delivered_at) as "lastSuccessAt", count(*)::integer as looked,
             (count(*) filter (where looked.was_tried and looked.place <= ${RECENT_MAX}))::integer as tried,
             (count(*) filter (where looked.was_tried and looked.place <= ${RECENT_MAX}
                                 and looked.status <> 'delivered'))::integer as failed
      from (
        select d.*, row_number() over (partition by d.was_tried order by d.id desc) as place
        from (
          select id, status, delivered_at, attempts > 0 or status = 'delivered' as was_tried
          from newest_deliveries(e.id, '', ${NO_ID}, ${SUCCESS_LOOKED_MAX})
        ) d
      ) looked
    ) newest
    where e.id = any(${endpoints.map(({ id }) => id)}::text[])`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return new Map(endpoints.map((endpoint) => [endpoint.id, healthOf(endpoint, found.get(endpoint.id), now)]));
}

/** `3 of the last 5 deliveries failed`. A retry of an older delivery can fail after the last ones have succeeded. */
export function failuresText({ tried, failed }: EndpointHealth["recent"]): string {
  if (tried === 0) return "Every delivery failed";
  if (failed === 0) return "An earlier delivery keeps failing";
  return tried === 1 ? "1 of 1 delivery failed" : `${failed} of the last ${tried} deliveries failed`;
}

function healthOf({ active, failingSince }: Judged, found: Found | undefined, now: Date): EndpointHealth {
  const hasFailed = active && failingSince !== null;
  const isFailing =
    hasFailed &&
    (found?.failures ?? 0) >= FAILURES_TO_FAIL &&
    now.getTime() - failingSince.getTime() > FAILING_AFTER_MS;
  return {
    state: isFailing ? "failing" : hasFailed ? "retrying" : active ? "active" : "disabled",
    recent: { tried: found?.tried ?? 0, failed: found?.failed ?? 0 },
    lastSuccessAt: found?.lastSuccessAt ?? undefined,
    hasOlder: found?.looked === SUCCESS_LOOKED_MAX,
    failingSince: failingSince ?? undefined,
    disabledAt: isFailing ? new Date(failingSince.getTime() + DISABLE_MS) : undefined,
  };
}
