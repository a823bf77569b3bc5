import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { readPage } from "../http/page.ts";
import { type Asked, invalidParameter, queryFilter, queryTime } from "../http/query.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { firstIdAt, timeOfId } from "../lib/ids.ts";
import { Problem } from "../lib/problem.ts";
import { findRequest, listRequestRows, type RequestRow } from "./queries.ts";
import type { RequestDetailView, RequestView } from "./schemas.ts";
import { scopeOfRequest } from "./scope-of-request.ts";

const FILTERS = ["status", "errorCode", "keyId", "createdFrom", "createdTo"] as const;
const STATUS = /^([1-5])(\d\d|xx)$/;

/** The reseller's requests, newest first. */
export async function listRequests(
  deps: { db: Db; cursors: CursorCodec },
  tenant: Tenant,
  request: Asked,
): Promise<{ data: RequestView[]; hasMore: boolean; nextCursor: string }> {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, queryFilter(request, name) ?? ""]));
  const scope = { ...tenant, endpoint: "listRequests", filters };
  const { after, limit } = readPage(request, deps.cursors, scope);
  const selection = { ...readFilters(request), beforeId: after, limit };
  const { rows, nextBeforeId } = await listRequestRows(deps.db, tenant, selection);
  return {
    data: rows.map(toView),
    hasMore: nextBeforeId !== undefined,
    nextCursor: nextBeforeId === undefined ? "" : deps.cursors.encode(scope, nextBeforeId),
  };
}

/**
 * One request with the body of its error. The detail of an error can hold what its operation reads, such as a balance; a key
 * without the scope of that operation gets what the error is and nothing of what it says.
 */
export async function getRequest(
  db: Db,
  tenant: Tenant & { scopes?: readonly string[] },
  id: string,
): Promise<RequestDetailView> {
  const row = id.includes("\0") ? undefined : await findRequest(db, tenant, id);
  if (!row) throw new Problem("not_found", "There is no request with this id in the last 14 days.");
  if (row.errorBody === null) return toView(row);
  const error = JSON.parse(row.errorBody) as ErrorBody;
  const mayReadDetail = tenant.scopes === undefined || mayRead(tenant.scopes, row, error);
  return { ...toView(row), error: mayReadDetail ? error : withoutDetail(error) };
}

type ErrorBody = Record<string, unknown>;

/** A refusal for want of money was written for a key that may read the balance. */
function mayRead(scopes: readonly string[], { method, path }: RequestRow, error: ErrorBody): boolean {
  const scope = scopeOfRequest(method, path);
  if (scope === undefined || (error.balance !== undefined && !scopes.includes("wallet:read"))) return false;
  return scope === "any" || scopes.includes(scope);
}

/** The members that follow from the code and the request alone. The schema of an error requires a detail. */
const withoutDetail = ({ type, title, status, code, request_id }: ErrorBody): ErrorBody => ({
  type,
  title,
  status,
  code,
  detail: "Not shown: this key does not have the scope of the operation that failed.",
  request_id,
});

function readFilters(request: Asked) {
  const from = queryTime(request, "createdFrom");
  const to = queryTime(request, "createdTo");
  return {
    ...readStatusRange(queryFilter(request, "status")),
    errorCode: queryFilter(request, "errorCode"),
    actorId: queryFilter(request, "keyId"),
    // The time of a request is the time inside its id.
    fromId: from && firstIdAt("req", from.getTime()),
    toId: to && firstIdAt("req", to.getTime()),
  };
}

function readStatusRange(text: string | undefined): { statusFrom?: number; statusTo?: number } {
  if (text === undefined) return {};
  const [, hundred, rest] = STATUS.exec(text) ?? [];
  if (hundred === undefined || rest === undefined)
    throw invalidParameter("status", "status must be an HTTP status such as 404, or a class such as 4xx.");
  const statusFrom = Number(hundred) * 100 + (rest === "xx" ? 0 : Number(rest));
  return { statusFrom, statusTo: statusFrom + (rest === "xx" ? 100 : 1) };
}

const toView = (row: RequestRow): RequestView => ({
  id: row.id,
  createdAt: new Date(timeOfId(row.id)).toISOString(),
  method: row.method,
  path: row.path,
  status: row.status,
  ...(row.errorCode === null ? {} : { errorCode: row.errorCode }),
  ...(row.actorKind === "key" && row.actorId !== null ? { keyId: row.actorId } : {}),
  ...(row.keyHint === null ? {} : { keyHint: row.keyHint }),
  address: row.address,
  durationMs: row.durationMs,
});
