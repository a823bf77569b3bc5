import type { FastifyRequest } from "fastify";
import type { Db } from "../db/database.ts";
import type { Caller } from "../http/caller.ts";
import { readPage } from "../http/page.ts";
import { invalidParameter, queryFilter, queryTime } from "../http/query.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { hideStaff } from "./approved-note.ts";
import type { EntryType } from "./entry.ts";
import { toEntryView } from "./entry-view.ts";
import { listEntryRows } from "./queries.ts";

const ENTRY_TYPES = ["deposit", "order", "refund", "adjustment"] as const;
const FILTERS = ["type", "orderId", "createdFrom", "createdTo"] as const;

/** The caller's wallet entries, newest first. */
export async function listEntries(
  deps: { db: Db; cursors: CursorCodec },
  caller: Caller,
  request: FastifyRequest,
) {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, queryFilter(request, name) ?? ""]));
  const scope = { ...caller, endpoint: "listWalletEntries", filters };
  const page = readPage(request, deps.cursors, scope);
  const rows = await listEntryRows(deps.db, caller, {
    type: readType(request),
    orderId: queryFilter(request, "orderId"),
    createdFrom: queryTime(request, "createdFrom"),
    createdTo: queryTime(request, "createdTo"),
    before: page.after === undefined ? undefined : BigInt(page.after),
    limit: page.limit + 1,
  });
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  const hasMore = rows.length > page.limit;
  return {
    data: shown.map(hideStaff).map(toEntryView),
    hasMore,
    nextCursor: hasMore && last ? deps.cursors.encode(scope, last.sequence.toString()) : "",
  };
}

function readType(request: FastifyRequest): EntryType | undefined {
  const text = queryFilter(request, "type");
  if (text === undefined) return undefined;
  const type = ENTRY_TYPES.find((known) => known === text);
  if (!type) throw invalidParameter("type", `type must be one of ${ENTRY_TYPES.join(", ")}.`);
  return type;
}
