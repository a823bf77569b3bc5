import type { Queryable } from "../db/database.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { type ListedReseller, searchResellerRows } from "./queries.ts";

export type ResellerPage = { data: ListedReseller[]; nextCursor: string };

/** A page of resellers, newest first, with their balances in one environment. An empty search finds all. */
export async function listResellers(
  deps: { db: Queryable; cursors: CursorCodec },
  environment: "live" | "test",
  { q, cursor, limit }: { q: string; cursor: string | undefined; limit: number },
): Promise<ResellerPage> {
  const scope = { resellerId: "", environment, endpoint: "resellers", filters: { q } };
  const before = cursor ? deps.cursors.decode(scope, cursor) : undefined;
  const rows = await searchResellerRows(deps.db, environment, {
    q: q.replaceAll("\0", ""),
    before,
    limit: limit + 1,
  });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  return { data, nextCursor: rows.length > limit && last ? deps.cursors.encode(scope, last.id) : "" };
}
