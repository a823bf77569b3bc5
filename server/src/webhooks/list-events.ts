import type { FastifyRequest } from "fastify";
import type { Db } from "../db/database.ts";
import type { Caller } from "../http/caller.ts";
import { readPage } from "../http/page.ts";
import { invalidParameter, queryFilter, queryTime } from "../http/query.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { firstIdAt } from "../lib/ids.ts";
import { listEventRows } from "./event-queries.ts";
import type { EventView } from "./event-schemas.ts";
import { EVENT_TYPES, type EventType, isEventType } from "./event-types.ts";

/** The reseller's events, newest first, each as it is delivered. */
export async function listEvents(
  deps: { db: Db; cursors: CursorCodec },
  caller: Caller,
  request: FastifyRequest,
) {
  const filters = readFilters(request);
  const scope = { ...caller, endpoint: "listEvents", filters: canonicalFilters(request) };
  const { after, limit } = readPage(request, deps.cursors, scope);
  const selection = { ...filters, beforeId: after, limit };
  const { rows, nextBeforeId } = await listEventRows(deps.db, caller, selection);
  return {
    data: rows.map((row): EventView => JSON.parse(row.body)),
    hasMore: nextBeforeId !== undefined,
    nextCursor: nextBeforeId === undefined ? "" : deps.cursors.encode(scope, nextBeforeId),
  };
}

const FILTERS = ["type", "orderId", "createdFrom", "createdTo"] as const;

const canonicalFilters = (request: FastifyRequest): Record<string, string> =>
  Object.fromEntries(
    FILTERS.flatMap((name) => {
      const text = queryFilter(request, name);
      return text === undefined ? [] : [[name, text]];
    }),
  );

function readFilters(request: FastifyRequest) {
  const from = queryTime(request, "createdFrom");
  const to = queryTime(request, "createdTo");
  return {
    type: readType(request),
    orderId: queryFilter(request, "orderId"),
    // The time of an event is the time inside its id.
    fromId: from && firstIdAt("evt", from.getTime()),
    toId: to && firstIdAt("evt", to.getTime()),
  };
}

function readType(request: FastifyRequest): EventType | undefined {
  const text = queryFilter(request, "type");
  if (text === undefined || isEventType(text)) return text;
  throw invalidParameter("type", `type must be one of ${EVENT_TYPES.join(", ")}.`);
}
