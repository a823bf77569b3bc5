import type { Db, Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { readPage } from "../../http/page.ts";
import type { Asked } from "../../http/query.ts";
import type { CursorCodec } from "../../lib/cursor.ts";
import { canonicalFilters, readFilters } from "../../orders/list-orders.ts";
import type { OrderFilterValues } from "../../orders/order-filters.ts";
import { toOrderView } from "../../orders/order-view.ts";
import type { OrderView } from "../../orders/schemas.ts";
import { type AnyOrderRow, listAnyOrderRows, listResellerIds } from "./any-order-queries.ts";

export type Cost = { amountMinor: bigint; currency: string };

/** An order of any reseller, as the operator reads it. */
export type AnyOrder = OrderView &
  Tenant & {
    resellerName: string;
    idempotencyKey: string;
    refundHeld: boolean;
    /** What its units cost at suppliers, one for each currency. */
    costs: Cost[];
  };

export type AnyOrderSearch = {
  environment: Tenant["environment"];
  resellerId?: string | undefined;
  supplierId?: string | undefined;
  /** An id or its beginning, a reference, or an idempotency key. */
  search?: string | undefined;
};

/** Orders of all resellers, newest first, by the filters of the API and those that only the operator has. */
export async function listAnyOrders(
  deps: { db: Db; cursors: CursorCodec },
  search: AnyOrderSearch,
  request: Asked,
): Promise<{ data: AnyOrder[]; nextCursor: string }> {
  const filters = readFilters(request);
  const { environment, resellerId = "", supplierId, search: text } = search;
  const own = {
    ...(supplierId === undefined ? {} : { supplierId }),
    ...(text === undefined ? {} : { text }),
  };
  const scope = {
    resellerId,
    environment,
    endpoint: "listAnyOrders",
    filters: { ...canonicalFilters(request), ...own },
  };
  const page = readPage(request, deps.cursors, scope);
  const selection = { ...search, filters, beforeId: page.after, limit: page.limit };
  const { rows, nextBeforeId } = await listAnyOrderRows(deps.db, selection);
  return {
    data: rows.map(toAnyOrder),
    nextCursor: nextBeforeId === undefined ? "" : deps.cursors.encode(scope, nextBeforeId),
  };
}

const EXPORTED_AT_ONCE = 500;

/**
 * Every order that the list would show on all of its pages, newest first. Those of all resellers come one reseller after the
 * other, because merging them costs more with each reseller. A wrong filter is thrown before the first order is read.
 */
export function exportAnyOrders(
  db: Queryable,
  search: AnyOrderSearch,
  request: Asked,
): AsyncGenerator<AnyOrder> {
  return readAll(db, search, readFilters(request));
}

async function* readAll(
  db: Queryable,
  search: AnyOrderSearch,
  filters: OrderFilterValues,
): AsyncGenerator<AnyOrder> {
  const isMerged = search.resellerId === undefined && search.supplierId === undefined;
  for (const resellerId of isMerged ? await listResellerIds(db) : [search.resellerId]) {
    let beforeId: string | undefined;
    do {
      const selection = { ...search, resellerId, filters, beforeId, limit: EXPORTED_AT_ONCE };
      const { rows, nextBeforeId } = await listAnyOrderRows(db, selection);
      for (const row of rows) yield toAnyOrder(row);
      beforeId = nextBeforeId;
    } while (beforeId !== undefined);
  }
}

const toAnyOrder = (row: AnyOrderRow): AnyOrder => ({
  ...toOrderView(row),
  resellerId: row.resellerId,
  environment: row.environment,
  resellerName: row.resellerName,
  idempotencyKey: row.idempotencyKey,
  refundHeld: row.refundHeld,
  costs: (row.costs ?? []).map(({ amountMinor, currency }) => ({
    amountMinor: BigInt(amountMinor),
    currency,
  })),
});
