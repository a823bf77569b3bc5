import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { listEndpointRows } from "../endpoints/endpoint-queries.ts";
import { DISABLE_MS } from "./watch-failing.ts";

export type TroubledEndpoint = {
  id: string;
  url: string;
  state: "failing" | "disabled";
  failingSince: Date;
  /** When it is disabled if nothing succeeds before. */
  disablesAt: Date;
};

/** A tenant has at most 16 endpoints (CONTRACT 6). */
const ENDPOINTS_READ_MAX = 100;

/** The endpoints whose deliveries all fail, and those that were disabled because of it. */
export async function listTroubledEndpoints(db: Queryable, tenant: Tenant): Promise<TroubledEndpoint[]> {
  const rows = await listEndpointRows(db, tenant, { beforeId: undefined, limit: ENDPOINTS_READ_MAX });
  return rows.flatMap(({ id, url, active, failingSince }) =>
    failingSince === null
      ? []
      : [
          {
            id,
            url,
            state: active ? ("failing" as const) : ("disabled" as const),
            failingSince,
            disablesAt: new Date(failingSince.getTime() + DISABLE_MS),
          },
        ],
  );
}
