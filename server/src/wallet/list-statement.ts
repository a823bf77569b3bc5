import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { hideStaff } from "./approved-note.ts";
import { type EntryFilters, type EntryRow, listEntryRows } from "./queries.ts";

export type StatementPage = { data: EntryRow[]; nextCursor: string };

export type StatementRequest = {
  filters: EntryFilters;
  cursor: string | undefined;
  limit: number;
  /** The operator reads who proposed and approved a movement; the reseller does not. */
  isForOperator?: boolean;
};

/** A page of the statement, newest first. A cursor works only with the filters of its page. */
export async function listStatement(
  deps: { db: Queryable; cursors: CursorCodec },
  tenant: Tenant,
  { filters, cursor, limit, isForOperator = false }: StatementRequest,
): Promise<StatementPage> {
  const scope = { ...tenant, endpoint: "statement", filters: textsOf(filters) };
  const before = cursor ? BigInt(deps.cursors.decode(scope, cursor)) : undefined;
  const rows = await listEntryRows(deps.db, tenant, { ...filters, before, limit: limit + 1 });
  const data = isForOperator ? rows.slice(0, limit) : rows.slice(0, limit).map(hideStaff);
  const last = data.at(-1);
  const hasMore = rows.length > limit && last !== undefined;
  return { data, nextCursor: hasMore ? deps.cursors.encode(scope, last.sequence.toString()) : "" };
}

const EXPORTED_PER_STATEMENT = 1_000;

/** The whole statement that the filters leave, as the reseller reads it, newest first, in memory a part at a time. */
export async function* exportStatement(
  db: Queryable,
  tenant: Tenant,
  filters: EntryFilters,
): AsyncGenerator<EntryRow> {
  let before: bigint | undefined;
  for (;;) {
    const rows = await listEntryRows(db, tenant, { ...filters, before, limit: EXPORTED_PER_STATEMENT });
    yield* rows.map(hideStaff);
    if (rows.length < EXPORTED_PER_STATEMENT) return;
    before = rows.at(-1)?.sequence;
  }
}

/** Filters as a cursor is bound to them. */
export const textsOf = (
  filters: Readonly<Record<string, string | Date | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filters).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value instanceof Date ? value.toISOString() : value]],
    ),
  );
