import type { FastifyRequest } from "fastify";
import type { Db } from "../db/database.ts";
import type { Caller } from "../http/caller.ts";
import { readPage } from "../http/page.ts";
import { queryFilter } from "../http/query.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { listOrderRows } from "./list-queries.ts";
import { ORDER_FILTER_NAMES, ORDER_FILTERS, type OrderFilterValues } from "./order-filters.ts";
import { toOrderView } from "./order-view.ts";

/** The reseller's orders, newest first. A cursor works only with the filters of its page. */
export async function listOrders(
  deps: { db: Db; cursors: CursorCodec },
  caller: Caller,
  request: FastifyRequest,
) {
  const filters = readFilters(request);
  const scope = { ...caller, endpoint: "listOrders", filters: canonicalFilters(request) };
  const page = readPage(request, deps.cursors, scope);
  const selection = { filters, beforeId: page.after, limit: page.limit };
  const { rows, nextBeforeId } = await listOrderRows(deps.db, caller, selection);
  return {
    data: rows.map(toOrderView),
    hasMore: nextBeforeId !== undefined,
    nextCursor: nextBeforeId === undefined ? "" : deps.cursors.encode(scope, nextBeforeId),
  };
}

const readFilters = (request: FastifyRequest): OrderFilterValues =>
  Object.fromEntries(ORDER_FILTER_NAMES.map((name) => [name, ORDER_FILTERS[name].parse(request, name)]));

/** The given filters as they were written. A cursor is bound to them. */
const canonicalFilters = (request: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    ORDER_FILTER_NAMES.flatMap((name) => {
      const text = queryFilter(request, name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
