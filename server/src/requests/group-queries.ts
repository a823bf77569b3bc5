import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";

export type ErrorGroupRow = {
  examined: number;
  status: number | null;
  errorCode: string | null;
  method: string | null;
  count: number;
  lastId: string | null;
};

/** Errors of the newest requests by code, status and method. There is always a row, which carries the number of examined ones. */
export const groupErrorRows = (
  db: Queryable,
  { resellerId, environment }: Tenant,
  fromId: string,
  limit: number,
) =>
  db.rows<ErrorGroupRow>(sql`
    with examined as materialized (
      select r.id, r.status, r.error_code, r.method from api_requests r
      where r.reseller_id = ${resellerId} and r.environment = ${environment} and r.id >= ${fromId}
      order by r.id desc limit ${limit}
    ), grouped as (
      select status, error_code as "errorCode", method, count(*)::integer as count, max(id) as "lastId"
      from examined where error_code is not null group by status, error_code, method
    )
    select looked.examined, g.status, g."errorCode", g.method, coalesce(g.count, 0) as count, g."lastId"
    from (select count(*)::integer as examined from examined) looked left join grouped g on true
    order by g.count desc nulls last, g."lastId" desc`);
