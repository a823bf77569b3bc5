import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import { NO_ID } from "../../lib/slice.ts";
import type { EndpointRow } from "../endpoints/endpoint-queries.ts";
import { DISABLE_MS } from "./watch-failing.ts";

export type EndpointHealth = {
  state: "active" | "failing" | "disabled";
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

/** The health of these endpoints, by their ids. They are known to be the caller's. */
export async function readHealth(
  db: Queryable,
  endpoints: readonly Pick<EndpointRow, "id" | "active" | "failingSince">[],
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const rows = await db.rows<{ id: string; lastSuccessAt: Date | null; looked: number }>(sql`
    select one.id, newest."lastSuccessAt", newest.looked
    from unnest(${endpoints.map(({ id }) => id)}::text[]) as one (id)
    cross join lateral (
      select max(looked.delivered_at) as "lastSuccessAt", count(*)::integer as looked
      from (
        select delivered_at from newest_deliveries(one.id, '', ${NO_ID}, ${SUCCESS_LOOKED_MAX})
      ) looked
    ) newest`);
  const found = new Map(rows.map((row) => [row.id, row]));
  return new Map(endpoints.map((endpoint) => [endpoint.id, healthOf(endpoint, found.get(endpoint.id))]));
}

function healthOf(
  { active, failingSince }: Pick<EndpointRow, "active" | "failingSince">,
  found: { lastSuccessAt: Date | null; looked: number } | undefined,
): EndpointHealth {
  const isFailing = active && failingSince !== null;
  return {
    state: isFailing ? "failing" : active ? "active" : "disabled",
    lastSuccessAt: found?.lastSuccessAt ?? undefined,
    hasOlder: found?.looked === SUCCESS_LOOKED_MAX,
    failingSince: failingSince ?? undefined,
    disabledAt: isFailing ? new Date(failingSince.getTime() + DISABLE_MS) : undefined,
  };
}
