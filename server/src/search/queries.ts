import sql, { join, type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import { CODE_FOUND } from "./branch-queries.ts";
import type { Found, FoundKind } from "./found.ts";

const FOUND = sql`
  f.id, f.title, f.status, f.reseller_id as "resellerId", r.name as "resellerName", f.environment, f.order_id as "orderId"`;

/** All branches in one statement, in their order. */
export const listFoundRows = (db: Queryable, branches: readonly { kind: FoundKind; found: Sql }[]) =>
  db.rows<Found>(sql`
    select f.kind, ${FOUND}
    from (${join(
      branches.map(
        ({ kind, found }, rank) => sql`select ${rank}::integer, ${kind}::text, b.* from (${found}) b`,
      ),
      " union all ",
    )}) f (rank, kind, id, title, status, reseller_id, environment, order_id)
    left join resellers r on r.id = f.reseller_id
    order by f.rank, f.id desc`);

/** A code that is in stock or sold is unique. One in quarantine can have the digest of another. */
export const findCodeRow = async (db: Queryable, digest: Buffer): Promise<Found | undefined> => {
  const [row] = await db.rows<Found>(sql`
    select 'code' as kind, ${FOUND}
    from (
      select ${CODE_FOUND} from codes c where c.digest = ${digest} and c.state <> 'quarantined'
      union all
      select ${CODE_FOUND} from codes c where c.digest = ${digest} and c.state = 'quarantined'
    ) f (id, title, status, reseller_id, environment, order_id)
    left join resellers r on r.id = f.reseller_id limit 1`);
  return row;
};
