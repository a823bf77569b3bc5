import type { FastifyRequest } from "fastify";
import type { Db } from "../db/database.ts";
import type { Caller } from "../http/caller.ts";
import { readPage } from "../http/page.ts";
import { invalidParameter, queryFilter, queryTime } from "../http/query.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { firstIdAt } from "../lib/ids.ts";
import { toOrderView } from "./order-view.ts";
import { listOrderRows, type OrderFilters } from "./queries.ts";
import { isOrderStatus, ORDER_STATUSES } from "./status.ts";

/** The reseller's orders, newest first. A cursor holds only with the filters of the page it came from. */
export async function listOrders(
  deps: { db: Db; cursors: CursorCodec },
  caller: Caller,
  request: FastifyRequest,
) {
  const filters = readFilters(request);
  const scope = { ...caller, endpoint: "listOrders", filters: canonicalFilters(request) };
  const page = readPage(request, deps.cursors, scope);
  const selection = { ...filters, beforeId: page.after, limit: page.limit };
  const { rows, nextBeforeId } = await listOrderRows(deps.db, caller, selection);
  return {
    data: rows.map(toOrderView),
    hasMore: nextBeforeId !== undefined,
    nextCursor: nextBeforeId === undefined ? "" : deps.cursors.encode(scope, nextBeforeId),
  };
}

const FILTERS = ["status", "reference", "idempotencyKey", "productId", "createdFrom", "createdTo"] as const;

const canonicalFilters = (request: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    FILTERS.flatMap((name) => {
      const text = queryFilter(request, name);
      return text === undefined ? [] : [[name, text]];
    }),
  );

function readFilters(request: FastifyRequest): OrderFilters {
  const status = queryFilter(request, "status");
  if (status !== undefined && !isOrderStatus(status)) {
    throw invalidParameter("status", `status must be one of ${ORDER_STATUSES.join(", ")}.`);
  }
  const from = queryTime(request, "createdFrom");
  const to = queryTime(request, "createdTo");
  return {
    status,
    reference: queryFilter(request, "reference"),
    idempotencyKey: queryFilter(request, "idempotencyKey"),
    productId: queryFilter(request, "productId"),
    // The time of creation is the time inside the id.
    fromId: from && firstIdAt("ord", from.getTime()),
    toId: to && firstIdAt("ord", to.getTime()),
  };
}
