import sql, { join, type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { EXAMINED_MAX, lookInSteps, type Slice } from "../lib/slice.ts";
import { givenFilters, type OrderFilterValues } from "./order-filters.ts";
import { intersect, newestOrders } from "./order-range.ts";
import { searchedOrders } from "./order-search.ts";
import { type OrderRow, orderColumns } from "./queries.ts";

export type OrderSelection = {
  filters: OrderFilterValues;
  /** An id, a reference or an idempotency key. */
  search?: string | undefined;
  beforeId: string | undefined;
  limit: number;
};

/**
 * Newest first. Each filter has an index that ends in the id, so a page costs the same for any number of orders. Of
 * several filters one leads, and the others are checked on each order it finds. To bound that cost too, a page ends
 * after a number of examined orders, full or not, and the next one continues from there.
 */
export async function listOrderRows(
  db: Queryable,
  tenant: Tenant,
  { filters, search, beforeId, limit }: OrderSelection,
): Promise<Slice<OrderRow>> {
  const given = givenFilters(filters);
  const ids = intersect([
    ...given.map(({ filter, value }) => filter.ids?.(value) ?? {}),
    beforeId === undefined ? {} : { toId: beforeId },
  ]);
  const byRank = given
    .flatMap(({ filter: { lead, condition }, value }) =>
      lead ? [{ lead, value, condition: condition(value), rank: lead.rank(value) }] : [],
    )
    .sort((a, b) => a.rank - b.rank);
  // What is searched for is rarer than what any filter selects.
  const [leading, others] = search === undefined ? [byRank[0], byRank.slice(1)] : [undefined, byRank];
  const wanted = limit + 1;
  const examinedMax = others.length === 0 ? wanted : EXAMINED_MAX;
  const bring = (most: number): Sql => {
    if (search !== undefined) return searchedOrders(tenant, search, ids, most);
    return leading ? leading.lead.bring(tenant, leading.value, ids, most) : newestOrders(tenant, ids, most);
  };
  const conditions = others.map(({ condition }) => condition);
  return lookInSteps<OrderRow>(limit, examinedMax, (most) =>
    db.rows(selectSlice(bring(most), conditions, wanted)),
  );
}

export const selectSlice = (
  brought: Sql,
  conditions: readonly Sql[],
  wanted: number,
  columns: Sql = orderColumns,
): Sql => sql`
  with examined as materialized (
    select o.*, ${conditions.length === 0 ? sql`true` : join(conditions, " and ")} as matches from (${brought}) o
  )
  select looked.*, shown.*
  from (select count(*)::integer as examined, min(id) as "lastExaminedId" from examined) looked
  left join (
    select ${columns} from examined o where o.matches order by o.id desc limit ${wanted}
  ) shown on true
  order by shown.id desc`;
