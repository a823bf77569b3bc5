import sql, { type Sql } from "sql-template-tag";
import { type Column, fromArrays, sentColumns, toArrays } from "../db/column-arrays.ts";
import type { Db, Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { EXAMINED_MAX, type LookedRow, NO_ID, type Slice, toSlice } from "../lib/slice.ts";
import type { LoggedRequest } from "./logged-request.ts";

const COLUMNS: readonly Column<LoggedRequest>[] = [
  { column: "id", type: "text", value: (one) => one.id },
  { column: "reseller_id", type: "text", value: (one) => one.resellerId },
  { column: "environment", type: "text", value: (one) => one.environment },
  { column: "actor_kind", type: "text", value: (one) => one.actor?.kind ?? null },
  { column: "actor_id", type: "text", value: (one) => one.actor?.id ?? null },
  { column: "key_hint", type: "text", value: (one) => one.keyHint },
  { column: "key_digest", type: "bytea", value: (one) => one.keyDigest },
  { column: "method", type: "text", value: (one) => one.method },
  { column: "path", type: "text", value: (one) => one.path },
  { column: "status", type: "smallint", value: (one) => one.status },
  { column: "error_code", type: "text", value: (one) => one.errorCode },
  { column: "error_body", type: "text", value: (one) => one.errorBody },
  { column: "duration_ms", type: "integer", value: (one) => one.durationMs },
  { column: "address", type: "text", value: (one) => one.address },
];
const SENT = sentColumns(COLUMNS);

const NAMES = COLUMNS.map(({ column }) => column).filter((column) => column !== "key_digest");
const INSERT = `insert into api_requests (${NAMES.join(", ")})`;
const ROWS = fromArrays("r", SENT, 1);

const INSERT_ACCEPTED = `${INSERT} select ${NAMES.join(", ")} from ${ROWS}`;

/** The key tells the reseller. A request with a key that was never valid belongs to no one, and is left out. */
const INSERT_REFUSED = `
  ${INSERT}
  select r.id, k.reseller_id, k.environment, 'key', k.id, r.key_hint, r.method, r.path, r.status, r.error_code, r.error_body,
         r.duration_ms, r.address
  from ${ROWS} join api_keys k on k.digest = r.key_digest where true`;

/**
 * The table has no unique index, which would cost as much as the row itself. So only a batch that may have been written
 * before looks for its rows.
 */
const UNLESS_THERE = (statement: string, tenant: string): string => `
  ${statement} ${statement === INSERT_ACCEPTED ? "where" : "and"} not exists (
    select from api_requests a
    where a.reseller_id = ${tenant}.reseller_id and a.environment = ${tenant}.environment and a.id = r.id
  )`;

/** A lost log line is no lost order: the commit does not wait for the disk. */
export async function insertRequests(
  db: Db,
  requests: readonly LoggedRequest[],
  { again = false }: { again?: boolean } = {},
): Promise<void> {
  const refused = requests.filter(isRefused);
  const accepted = refused.length === 0 ? requests : requests.filter((one) => !isRefused(one));
  await db.transaction(async (tx) => {
    await tx.rows(sql`set local synchronous_commit to off`);
    if (accepted.length > 0) {
      const text = again ? UNLESS_THERE(INSERT_ACCEPTED, "r") : INSERT_ACCEPTED;
      await tx.rows({ text, values: toArrays(SENT, accepted) }, again ? {} : { name: "insert-requests" });
    }
    if (refused.length > 0) {
      const text = again ? UNLESS_THERE(INSERT_REFUSED, "k") : INSERT_REFUSED;
      await tx.rows({ text, values: toArrays(SENT, refused) });
    }
  });
}

/** With a key that is not accepted: whose request it was, only the database can tell. */
export const isRefused = ({ resellerId }: LoggedRequest): boolean => resellerId === null;

export type RequestRow = {
  id: string;
  actorKind: string | null;
  actorId: string | null;
  keyHint: string | null;
  method: string;
  path: string;
  status: number;
  errorCode: string | null;
  durationMs: number;
  address: string;
};

const requestColumns = sql`
  r.id, r.actor_kind as "actorKind", r.actor_id as "actorId", r.key_hint as "keyHint", r.method, r.path, r.status,
  r.error_code as "errorCode", r.duration_ms as "durationMs", r.address`;

export const findRequest = async (
  db: Queryable,
  { resellerId, environment }: Tenant,
  id: string,
): Promise<(RequestRow & { errorBody: string | null }) | undefined> => {
  const [row] = await db.rows<RequestRow & { errorBody: string | null }>(sql`
    select ${requestColumns}, r.error_body as "errorBody" from api_requests r
    where r.id = ${id} and r.reseller_id = ${resellerId} and r.environment = ${environment}`);
  return row;
};

export type RequestSelection = {
  /** A range of statuses, its end excluded. */
  statusFrom?: number | undefined;
  statusTo?: number | undefined;
  errorCode?: string | undefined;
  actorId?: string | undefined;
  /** Bounds of the id, which are bounds of the time. */
  fromId?: string | undefined;
  toId?: string | undefined;
  beforeId: string | undefined;
  limit: number;
};

/** Newest first. What filters without an index judges a bounded number of rows for each page. */
export async function listRequestRows(
  db: Queryable,
  { resellerId, environment }: Tenant,
  selection: RequestSelection,
): Promise<Slice<RequestRow>> {
  const { fromId = "", toId = NO_ID, beforeId = NO_ID, limit } = selection;
  const wanted = limit + 1;
  const condition = filter(selection);
  const examinedMax = condition ? EXAMINED_MAX : wanted;
  const rows = await db.rows<LookedRow<RequestRow>>(sql`
    with examined as materialized (
      select ${requestColumns} from api_requests r
      where r.reseller_id = ${resellerId} and r.environment = ${environment}
        and r.id >= ${fromId} and r.id < ${toId < beforeId ? toId : beforeId}
      order by r.id desc limit ${examinedMax}
    )
    select looked.*, shown.*
    from (select count(*)::integer as examined, min(id) as "lastExaminedId" from examined) looked
    left join (
      select r.* from examined r where ${condition ?? sql`true`} order by r.id desc limit ${wanted}
    ) shown on true
    order by shown.id desc`);
  return toSlice(rows, limit, examinedMax);
}

function filter({ statusFrom, statusTo, errorCode, actorId }: RequestSelection): Sql | undefined {
  if (statusFrom === undefined && errorCode === undefined && actorId === undefined) return undefined;
  return sql`(${statusFrom ?? null}::integer is null or (r.status >= ${statusFrom ?? null} and r.status < ${statusTo ?? null}))
    and (${errorCode ?? null}::text is null or r."errorCode" = ${errorCode ?? null})
    and (${actorId ?? null}::text is null or r."actorId" = ${actorId ?? null})`;
}

/** Accepted placements of one caller that began in this range, of the newest requests of its tenant there. */
export const listPlacementRows = (
  db: Queryable,
  { resellerId, environment }: Tenant,
  { actorId, fromId, toId }: { actorId: string; fromId: string; toId: string },
) =>
  db.rows<Pick<RequestRow, "id" | "durationMs">>(sql`
    select r.id, r.duration_ms as "durationMs" from (
      select * from api_requests
      where reseller_id = ${resellerId} and environment = ${environment} and id >= ${fromId} and id < ${toId}
      order by id desc limit ${EXAMINED_MAX}
    ) r
    where r.method = 'POST' and (r.path, r.status) in (('/v1/orders', 202), ('/v1/orders/batch', 200)) and r.actor_id = ${actorId}`);
