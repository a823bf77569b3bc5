import type { Db, Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { readPage } from "../http/page.ts";
import { type Asked, queryFilter } from "../http/query.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { listOrderRows } from "./list-queries.ts";
import { ORDER_FILTER_NAMES, ORDER_FILTERS, type OrderFilterValues } from "./order-filters.ts";
import { toOrderView } from "./order-view.ts";
import type { OrderView } from "./schemas.ts";

/** The reseller's orders, newest first. A cursor works only with the filters and the search of its page. */
export async function listOrders(
  deps: { db: Db; cursors: CursorCodec },
  tenant: Tenant,
  request: Asked,
  search?: string,
) {
  const filters = readFilters(request);
  const given = { ...canonicalFilters(request), ...(search === undefined ? {} : { search }) };
  const scope = { ...tenant, endpoint: "listOrders", filters: given };
  const page = readPage(request, deps.cursors, scope);
  const selection = { filters, search, beforeId: page.after, limit: page.limit };
  const { rows, nextBeforeId } = await listOrderRows(deps.db, tenant, selection);
  return {
    data: rows.map(toOrderView),
    hasMore: nextBeforeId !== undefined,
    nextCursor: nextBeforeId === undefined ? "" : deps.cursors.encode(scope, nextBeforeId),
  };
}

const EXPORTED_AT_ONCE = 500;

/**
 * Every order that a list would show on all of its pages, newest first. They are read a few hundred at a time, so an export
 * of any size takes little memory. What is wrong with a filter is thrown before the first order is read.
 */
export function exportOrders(
  db: Queryable,
  tenant: Tenant,
  request: Asked,
  search?: string,
): AsyncGenerator<OrderView> {
  return readAll(db, tenant, readFilters(request), search);
}

async function* readAll(
  db: Queryable,
  tenant: Tenant,
  filters: OrderFilterValues,
  search: string | undefined,
): AsyncGenerator<OrderView> {
  let beforeId: string | undefined;
  do {
    const selection = { filters, search, beforeId, limit: EXPORTED_AT_ONCE };
    const { rows, nextBeforeId } = await listOrderRows(db, tenant, selection);
    for (const row of rows) yield toOrderView(row);
    beforeId = nextBeforeId;
  } while (beforeId !== undefined);
}

export const readFilters = (request: Asked): OrderFilterValues =>
  Object.fromEntries(ORDER_FILTER_NAMES.map((name) => [name, ORDER_FILTERS[name].parse(request, name)]));

/** The given filters as they were written. A cursor is bound to them. */
export const canonicalFilters = (request: Asked): Record<string, string> =>
  Object.fromEntries(
    ORDER_FILTER_NAMES.flatMap((name) => {
      const text = queryFilter(request, name);
      return text === undefined ? [] : [[name, text]];
    }),
  );
