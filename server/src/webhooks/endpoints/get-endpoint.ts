import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { notFound } from "../../lib/problem.ts";
import { type EndpointRow, findEndpoint } from "./endpoint-queries.ts";

/** The caller's endpoint; another's is not found, as one that does not exist. */
export async function getEndpoint(db: Queryable, tenant: Tenant, id: string): Promise<EndpointRow> {
  const row = id.includes("\0") ? undefined : await findEndpoint(db, tenant, id);
  if (!row) throw notFound();
  return row;
}
