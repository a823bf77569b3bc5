import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { type EntryFilters, type EntryRow, listEntryRows } from "./queries.ts";

export type StatementPage = { data: EntryRow[]; nextCursor: string };

/** A page of the statement, newest first. A cursor works only with the filters of its page. */
export async function listStatement(
  deps: { db: Queryable; cursors: CursorCodec },
  tenant: Tenant,
  { filters, cursor, limit }: { filters: EntryFilters; cursor: string | undefined; limit: number },
): Promise<StatementPage> {
  const scope = { ...tenant, endpoint: "statement", filters: textsOf(filters) };
  const before = cursor ? BigInt(deps.cursors.decode(scope, cursor)) : undefined;
  const rows = await listEntryRows(deps.db, tenant, { ...filters, before, limit: limit + 1 });
  const data = rows.slice(0, limit);
  const last = data.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { data, nextCursor: hasMore ? deps.cursors.encode(scope, last.sequence.toString()) : "" };
}

const EXPORTED_PER_STATEMENT = 1_000;

/** The whole statement that the filters leave, newest first, in memory a part at a time. */
export async function* exportStatement(
  db: Queryable,
  tenant: Tenant,
  filters: EntryFilters,
): AsyncGenerator<EntryRow> {
  let before: bigint | undefined;
  for (;;) {
    const rows = await listEntryRows(db, tenant, { ...filters, before, limit: EXPORTED_PER_STATEMENT });
    yield* rows;
    if (rows.length < EXPORTED_PER_STATEMENT) return;
    before = rows.at(-1)?.sequence;
  }
}

const textsOf = (filters: EntryFilters): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : value]],
    ),
  );
