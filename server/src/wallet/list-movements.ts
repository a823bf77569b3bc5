import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { listMovementRows, type MovementRow } from "./queries.ts";

export type MovementPage = { data: MovementRow[]; nextCursor: string };

/** What the operator credited and debited, over all resellers, newest first. Orders and refunds are in each statement. */
export async function listMovements(
  deps: { db: Queryable; cursors: CursorCodec },
  environment: Tenant["environment"],
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Promise<MovementPage> {
  const scope = { resellerId: "", environment, endpoint: "movements", filters: {} };
  const before = cursor ? deps.cursors.decode(scope, cursor) : undefined;
  const rows = await listMovementRows(deps.db, environment, { before, limit: limit + 1 });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last ? deps.cursors.encode(scope, last.id) : "" };
}
