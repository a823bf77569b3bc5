import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { EXAMINED_MAX, type LookedRow, type Slice, toSlice } from "../../lib/slice.ts";
import { selectSlice } from "../../orders/list-queries.ts";
import { givenFilters, type OrderFilterValues } from "../../orders/order-filters.ts";
import { type IdRange, intersect, newestOrders, type TenantValues } from "../../orders/order-range.ts";
import { searchedOrders } from "../../orders/order-search.ts";
import { type OrderRow, orderColumns } from "../../orders/queries.ts";

/** What an order has cost, in one currency. */
export type CostRow = { amountMinor: string; currency: string };

export type AnyOrderRow = OrderRow &
  Tenant & {
    resellerName: string;
    idempotencyKey: string;
    refundHeld: boolean;
    costs: CostRow[] | null;
  };

export type AnyOrderSelection = {
  environment: Tenant["environment"];
  resellerId?: string | undefined;
  supplierId?: string | undefined;
  filters: OrderFilterValues;
  /** An id, a reference or an idempotency key. */
  search?: string | undefined;
  beforeId: string | undefined;
  limit: number;
};

/** Brings the newest orders of a tenant, or of each row that has one. */
type Bring = (tenant: TenantValues, limit: number) => Sql;

/** How many orders a page over all resellers examines when several filters are given. Each reseller may bring so many. */
const MERGED_EXAMINED_MAX = 120;

/**
 * Orders of one reseller or of all, newest first. Every index of orders starts with the reseller, so that orders are placed
 * fast. A list of all resellers merges their lists: the newest orders of all can only be among those of the resellers
 * whose own newest one is among the newest. That is one look into an index for each reseller, and the cost does not
 * depend on the number of orders. As for a reseller, of several filters one leads, and a page ends after a number of examined
 * orders.
 */
export async function listAnyOrderRows(
  db: Queryable,
  { environment, resellerId, supplierId, filters, search, beforeId, limit }: AnyOrderSelection,
): Promise<Slice<AnyOrderRow>> {
  const given = givenFilters(filters);
  const ids = intersect([
    ...given.map(({ filter, value }) => filter.ids?.(value) ?? {}),
    beforeId === undefined ? {} : { toId: beforeId },
  ]);
  const leads: Lead[] = given.flatMap(({ filter: { lead, condition }, value }) =>
    lead
      ? [
          {
            rank: lead.rank(value),
            condition: condition(value),
            bring: (tenant, max) => lead.bring(tenant, value, ids, max),
          },
        ]
      : [],
  );
  if (supplierId !== undefined) leads.push(supplierLead(supplierId, ids, { environment, resellerId }));
  if (search !== undefined) leads.push(searchLead(search, ids));
  const [leading, ...others] = leads.toSorted((a, b) => a.rank - b.rank);
  const wanted = limit + 1;
  const walked =
    leading === undefined && resellerId === undefined
      ? await walkNewest(db, environment, ids, limit)
      : undefined;
  if (walked) return walked;
  const isNarrowed = others.length > 0 || leading?.narrow !== undefined;
  const examinedMax = isNarrowed
    ? Math.max(wanted, resellerId === undefined ? MERGED_EXAMINED_MAX : EXAMINED_MAX)
    : wanted;
  const bring: Bring = leading?.bring ?? ((tenant, max) => newestOrders(tenant, ids, max));
  const brought =
    leading?.ofAll?.(examinedMax) ??
    (resellerId === undefined
      ? ofEveryReseller(bring, environment, examinedMax)
      : bring({ resellerId, environment }, examinedMax));
  const conditions = [
    ...others.map(({ condition }) => condition),
    ...(leading?.narrow === undefined ? [] : [leading.narrow]),
  ];
  const rows = await db.rows<LookedRow<AnyOrderRow>>(
    selectSlice(brought, conditions, wanted, anyOrderColumns),
  );
  return toSlice(rows, limit, examinedMax);
}

/**
 * Without filters the newest orders of all are usually of this environment. If they are not, undefined: then the lists of resellers
 * are merged.
 */
async function walkNewest(
  db: Queryable,
  environment: Tenant["environment"],
  { fromId, toId }: IdRange,
  limit: number,
): Promise<Slice<AnyOrderRow> | undefined> {
  const newest = sql`
    select o.* from orders o where o.id >= ${fromId} and o.id < ${toId} order by o.id desc limit ${EXAMINED_MAX}`;
  const isOfEnvironment = [sql`o.environment = ${environment}`];
  const rows = await db.rows<LookedRow<AnyOrderRow>>(
    selectSlice(newest, isOfEnvironment, limit + 1, anyOrderColumns),
  );
  const [looked] = rows;
  if (looked === undefined || (looked.examined === EXAMINED_MAX && rows.length <= limit)) return undefined;
  return toSlice(rows, limit, EXAMINED_MAX);
}

type Lead = {
  /** The lowest leads, because it is likely to find the fewest orders. */
  rank: number;
  /** Whether the order `o` matches, when another one leads. */
  condition: Sql;
  bring: Bring;
  /** Its index does not start with the reseller: it brings the orders of all, and `narrow` selects among them. */
  ofAll?: (limit: number) => Sql;
  narrow?: Sql | undefined;
};

const ofEveryReseller = (bring: Bring, environment: Tenant["environment"], limit: number): Sql => {
  const tenant = { resellerId: sql`r.id`, environment };
  // Without the offset the planner may pull a join out of the loop and read all orders for it.
  const brought = (max: number) => sql`lateral (select * from (${bring(tenant, max)}) brought offset 0)`;
  return sql`
    select o.* from (
      select r.id from resellers r cross join ${brought(1)} newest
      order by newest.id desc limit ${limit}
    ) r cross join ${brought(limit)} o
    order by o.id desc limit ${limit}`;
};

/** Over all resellers only a reference or a key is cheaper. Of one reseller's orders, those with a product are fewer. */
const SUPPLIER_RANK = { ofAll: 2.5, ofOne: 4.5 };

function supplierLead(
  supplierId: string,
  { fromId, toId }: IdRange,
  { environment, resellerId }: Pick<AnyOrderSelection, "environment" | "resellerId">,
): Lead {
  const ofAll = (limit: number) => sql`
    select o.* from (
      select distinct a.supplier_id, a.order_id from supplier_attempts a
      where (a.supplier_id, a.order_id) >= (${supplierId}, ${fromId}) and (a.supplier_id, a.order_id) < (${supplierId}, ${toId})
      order by a.supplier_id desc, a.order_id desc limit ${limit}
    ) asked join orders o on o.id = asked.order_id`;
  return {
    rank: resellerId === undefined ? SUPPLIER_RANK.ofAll : SUPPLIER_RANK.ofOne,
    // Not `exists`, for which the planner may read all purchases of the supplier.
    condition: sql`(
      select true from supplier_attempts a where a.order_id = o.id and a.supplier_id = ${supplierId} limit 1) is true`,
    bring: (_tenant, limit) => ofAll(limit),
    ofAll,
    // Suppliers are asked for live orders only.
    narrow:
      resellerId === undefined
        ? environment === "live"
          ? undefined
          : sql`false`
        : sql`(o.reseller_id, o.environment) = (${resellerId}, ${environment})`,
  };
}

export const listResellerIds = async (db: Queryable): Promise<string[]> =>
  (await db.rows<{ id: string }>(sql`select id from resellers order by id`)).map(({ id }) => id);

/** What is searched for is rarer than what any filter selects. */
const searchLead = (search: string, ids: IdRange): Lead => ({
  rank: 0,
  condition: sql`true`,
  bring: (tenant, limit) => searchedOrders(tenant, search, ids, limit),
});

const anyOrderColumns = sql`
  ${orderColumns}, o.reseller_id as "resellerId", o.environment, o.idempotency_key as "idempotencyKey",
  o.refund_held as "refundHeld", (select r.name from resellers r where r.id = o.reseller_id) as "resellerName",
  (
    select json_agg(json_build_object('amountMinor', c.amount::text, 'currency', c.currency) order by c.currency)
    from (
      select coalesce(a.supplier_price_currency, a.cost_currency) as currency,
             sum(coalesce(a.supplier_price_minor, a.cost_minor)) as amount
      from supplier_attempts a
      where a.order_id = o.id and a.status in ('delivered', 'quarantined') and a.cost_minor is not null
      group by 1
    ) c where c.currency is not null
  ) as costs`;
