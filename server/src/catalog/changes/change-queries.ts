import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";

/** Everything up to here has been told: a number of a change, and within that number up to a product. */
export type ChangePosition = { change: bigint; productId: string };

export type ChangedProduct = ChangePosition & {
  /** A later change of the same product tells its state too, so this one need not. */
  isSuperseded: boolean;
  /** Whether the reseller could see the product at some time. */
  wasVisible: boolean;
};

/** The next changes, and the number of the last change that there is. All of them up to that number were read. */
export type ChangeWindow = { head: bigint; changes: ChangedProduct[] };

/**
 * The next changes that concern the reseller, in their order. Each of three scopes has one row for each product, in an index in
 * the order of their changes, so this costs the same at any position.
 */
export async function listChangesAfter(
  db: Queryable,
  resellerId: string,
  after: ChangePosition,
  limit: number,
): Promise<ChangeWindow> {
  type Row = { head: bigint } & { [Name in keyof ChangedProduct]: ChangedProduct[Name] | null };
  const rows = await db.rows<Row>(
    sql`
      select c.change as head, e.change, e.product_id as "productId", e."isSuperseded", e."wasVisible"
      from resellers r
      cross join catalog_state c
      left join lateral (
        select m.change, m.product_id,
               ${isLaterIn(sql`'all'`)} or ${isLaterIn(listScope)} or ${isLaterIn(ownScope)} as "isSuperseded",
               ${firstShown} is not null and coalesce(${firstShown} < ${lastUnlisted}, true) as "wasVisible"
        from (
          select * from (
            ${changesIn(sql`'all'`, after, limit)}
            union all ${changesIn(listScope, after, limit)}
            union all ${changesIn(ownScope, after, limit)}
          ) merged
          order by change, product_id limit ${limit}
        ) m
      ) e on true
      where r.id = ${resellerId}
      order by e.change, e.product_id`,
    { name: "list-changes-after" },
  );
  const [first] = rows;
  if (!first) throw new Error("an active key's reseller does not exist");
  return { head: first.head, changes: rows.filter((row) => row.change !== null) as ChangedProduct[] };
}

const listScope: Sql = sql`catalog_list_scope(r.currency, r.price_list)`;
const ownScope: Sql = sql`'reseller ' || r.id`;

const LAST_CHANGE = 2n ** 63n - 1n;

/** It compares and sorts whole rows, so that only the index fits, whatever the planner knows. */
const changesIn = (scope: Sql, { change, productId }: ChangePosition, limit: number): Sql => sql`(
  select change, product_id from catalog_changes
  where (scope, change, product_id) > (${scope}, ${change}::bigint, ${productId}::text collate "C")
    and (scope, change) <= (${scope}, ${LAST_CHANGE}::bigint)
  order by scope, change, product_id limit ${limit}
)`;

const isLaterIn = (scope: Sql): Sql => sql`
  coalesce((select o.change > m.change from catalog_changes o where o.scope = ${scope} and o.product_id = m.product_id), false)`;

const firstShown: Sql = sql`
  (select o.since from catalog_changes o where o.scope = 'all' and o.product_id = m.product_id)`;

/** Null while the product is listed. Zero where the reseller had it unlisted before changes were noted. */
const lastUnlisted: Sql = sql`(
  select coalesce(o.since, 0) from unlisted_products u
  left join catalog_changes o on o.scope = ${ownScope} and o.product_id = u.product_id
  where u.reseller_id = r.id and u.product_id = m.product_id)`;

/** The number of the last change of the catalog. */
export const findHead = async (db: Queryable): Promise<bigint> => {
  const [row] = await db.rows<{ head: bigint }>(sql`select change as head from catalog_state`);
  return row?.head ?? 0n;
};
