import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { notFound } from "../../lib/problem.ts";
import { endWaiting } from "../history/end-waiting.ts";
import { markEndpointDeleted } from "./endpoint-queries.ts";

/** Removes the endpoint and ends its waiting deliveries. */
export async function removeEndpoint(
  { db, clock }: { db: Db; clock: Clock },
  tenant: Tenant,
  id: string,
): Promise<void> {
  const marked = !id.includes("\0") && (await markEndpointDeleted(db, tenant, id, clock.now()));
  if (!marked) throw notFound();
  await endWaiting(db, id);
}
