import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { firstIdAt } from "../../lib/ids.ts";
import { getEndpoint } from "../endpoints/read-endpoints.ts";
import { countByStatus } from "./detail-queries.ts";
import { RECOVERED_MAX } from "./recover-queries.ts";

export type RecoveryProgress = {
  pending: number;
  delivered: number;
  failed: number;
  /** There are more deliveries than are counted. */
  hasMore: boolean;
};

/** How far the deliveries of a time are. It counts no more of them than one recovery starts. */
export async function recoveryProgress(
  db: Db,
  tenant: Tenant,
  endpointId: string,
  span: { since: Date; until: Date },
): Promise<RecoveryProgress> {
  await getEndpoint(db, tenant, endpointId);
  const range = {
    fromId: firstIdAt("dlv", span.since.getTime()),
    toId: firstIdAt("dlv", span.until.getTime()),
  };
  const rows = await countByStatus(db, endpointId, range, RECOVERED_MAX + 1);
  const counts = { pending: 0, delivered: 0, failed: 0 };
  for (const { status, count } of rows) counts[status] = count;
  return { ...counts, hasMore: counts.pending + counts.delivered + counts.failed > RECOVERED_MAX };
}
