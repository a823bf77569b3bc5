import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { textsOf } from "./list-statement.ts";
import { listMovementRows, type MovementFilters, type MovementRow } from "./queries.ts";

export type MovementPage = { data: MovementRow[]; nextCursor: string };

/**
 * What the operator credited and debited, over all resellers, newest first. Orders and refunds are in each statement. A cursor
 * works only with the filters of its page.
 */
export async function listMovements(
  deps: { db: Queryable; cursors: CursorCodec },
  environment: Tenant["environment"],
  { filters, cursor, limit }: { filters: MovementFilters; cursor: string | undefined; limit: number },
): Promise<MovementPage> {
  const scope = { resellerId: "", environment, endpoint: "movements", filters: textsOf(filters) };
  const before = cursor ? deps.cursors.decode(scope, cursor) : undefined;
  const rows = await listMovementRows(deps.db, environment, { ...filters, before, limit: limit + 1 });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last ? deps.cursors.encode(scope, last.id) : "" };
}

const EXPORTED_AT_ONCE = 1_000;

/** All movements that the filters leave, newest first, in memory a part at a time. */
export async function* exportMovements(
  db: Queryable,
  environment: Tenant["environment"],
  filters: MovementFilters,
): AsyncGenerator<MovementRow> {
  let before: string | undefined;
  for (;;) {
    const rows = await listMovementRows(db, environment, { ...filters, before, limit: EXPORTED_AT_ONCE });
    yield* rows;
    if (rows.length < EXPORTED_AT_ONCE) return;
    before = rows.at(-1)?.id;
  }
}
