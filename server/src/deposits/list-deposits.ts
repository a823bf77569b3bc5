import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import type { Deposit, DepositStatus } from "./deposit.ts";
import { listDepositRows } from "./deposit-queries.ts";

export type DepositList = { data: Deposit[]; hasMore: boolean; nextCursor: string };

/** A page of a reseller's own deposits, newest first. The cursor works only with the status that it came with. */
export async function listDeposits(
  { db, cursors }: { db: Queryable; cursors: CursorCodec },
  { resellerId, environment }: Tenant,
  { status, cursor, limit }: { status: DepositStatus | undefined; cursor: string | undefined; limit: number },
): Promise<DepositList> {
  const scope = { resellerId, environment, endpoint: "listDeposits", filters: { status: status ?? "" } };
  const before = cursor === undefined || cursor === "" ? undefined : cursors.decode(scope, cursor);
  const rows = await listDepositRows(db, { resellerId, environment }, { status, before, limit: limit + 1 });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit;
  return { data, hasMore, nextCursor: hasMore && last ? cursors.encode(scope, last.id) : "" };
}
