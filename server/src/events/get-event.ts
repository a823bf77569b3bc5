import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { notFound } from "../lib/problem.ts";
import { findEvent } from "./event-queries.ts";
import type { EventView } from "./event-schemas.ts";

/** The caller's event as it is delivered; another's is not found, as one that does not exist. */
export async function getEvent(db: Queryable, tenant: Tenant, id: string): Promise<EventView> {
  const row = id.includes("\0") ? undefined : await findEvent(db, tenant, id);
  if (!row) throw notFound();
  return JSON.parse(row.body);
}
