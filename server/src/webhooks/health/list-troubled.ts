import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { listEndpointRows } from "../endpoints/endpoint-queries.ts";
import { type EndpointHealth, readHealth } from "./read-health.ts";
import { DISABLE_MS } from "./watch-failing.ts";

export type TroubledEndpoint = {
  id: string;
  url: string;
  state: "failing" | "disabled";
  failingSince: Date;
  /** When it is disabled if nothing succeeds before. */
  disablesAt: Date;
  recent: EndpointHealth["recent"];
};

/** A tenant has at most 16 endpoints (CONTRACT 6). */
const ENDPOINTS_READ_MAX = 100;

/** The endpoints that are failing, and those that were disabled because of it. */
export async function listTroubledEndpoints(
  db: Queryable,
  tenant: Tenant,
  now: Date,
): Promise<TroubledEndpoint[]> {
  const rows = await listEndpointRows(db, tenant, { beforeId: undefined, limit: ENDPOINTS_READ_MAX });
  const failed = rows.filter((row) => row.failingSince !== null);
  const health = failed.length === 0 ? new Map() : await readHealth(db, failed, now);
  return failed.flatMap(({ id, url, failingSince }) => {
    const { state, recent } = health.get(id) as EndpointHealth;
    if (failingSince === null || (state !== "failing" && state !== "disabled")) return [];
    return [
      { id, url, state, failingSince, disablesAt: new Date(failingSince.getTime() + DISABLE_MS), recent },
    ];
  });
}
