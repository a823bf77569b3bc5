import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";

export type DueNotice = Tenant & { head: bigint };

/** Tenants with an endpoint that follows the catalog, whose catalog has changed, and that were not told lately. */
export const listDueNotices = (db: Queryable, before: Date, limit: number) =>
  db.rows<DueNotice>(sql`
    select n.reseller_id as "resellerId", n.environment, h.head
    from (
      select distinct reseller_id, environment from webhook_endpoints
      where deleted_at is null and active and 'catalog.changed' = any(events)
    ) w
    join catalog_notices n on n.reseller_id = w.reseller_id and n.environment = w.environment
    join resellers r on r.id = n.reseller_id
    cross join lateral (
      select greatest(
        ${headOf(sql`'all'`)}, ${headOf(sql`catalog_list_scope(r.currency, r.price_list)`)}, ${headOf(sql`'reseller ' || r.id`)}
      ) as head
    ) h
    where h.head > n.change and (n.told_at is null or n.told_at <= ${before})
    order by n.told_at nulls first, n.reseller_id, n.environment limit ${limit}`);

const headOf = (scope: Sql): Sql => sql`
  coalesce((select change from catalog_changes where scope = ${scope} order by scope desc, change desc limit 1), -1)`;

/** False when another process has told it meanwhile. */
export const markTold = async (
  tx: Tx,
  { resellerId, environment }: Tenant,
  { head, before, now }: { head: bigint; before: Date; now: Date },
): Promise<boolean> => {
  const rows = await tx.rows(sql`
    update catalog_notices set change = ${head}, told_at = ${now}
    where reseller_id = ${resellerId} and environment = ${environment} and change < ${head}
      and (told_at is null or told_at <= ${before})
    returning reseller_id`);
  return rows.length > 0;
};
