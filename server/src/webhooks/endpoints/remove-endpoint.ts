import type { By } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { notFound } from "../../lib/problem.ts";
import { endWaiting } from "../history/end-waiting.ts";
import { recordOnEndpoint } from "./endpoint-activity.ts";
import { markEndpointDeleted } from "./endpoint-queries.ts";

/** Removes the endpoint and ends its waiting deliveries. */
export async function removeEndpoint(
  { db, clock }: { db: Db; clock: Clock },
  tenant: Tenant,
  id: string,
  by?: By,
): Promise<void> {
  await db.transaction(async (tx) => {
    const marked = !id.includes("\0") && (await markEndpointDeleted(tx, tenant, id, clock.now()));
    if (!marked) throw notFound();
    await recordOnEndpoint(tx, clock, { by, tenant, id, action: "webhook.removed" });
  });
  await endWaiting(db, id);
}
