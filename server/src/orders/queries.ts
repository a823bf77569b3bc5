import sql, { join, type Sql } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { bindingKey } from "./decide-placements.ts";
import type { OrderStatus } from "./status.ts";

export type OrderLineRow = {
  productId: string;
  name: string;
  unitPriceMinor: string;
  quantity: number;
  lineTotalMinor: string;
  inputFields: Record<string, string> | null;
  fulfilledQuantity: number;
  refundedQuantity: number;
  failureCode: string | null;
};

export type OrderRow = {
  id: string;
  status: OrderStatus;
  totalMinor: bigint;
  refundedMinor: bigint;
  currency: string;
  reference: string | null;
  allOrNothing: boolean;
  createdAt: Date;
  updatedAt: Date;
  lines: OrderLineRow[];
};

/**
 * Amounts inside JSON go as text: numbers there would pass through a float. While an order that is all or nothing is
 * processed nothing of it is delivered yet.
 */
const orderColumns = sql`
  o.id, o.status, o.total_minor as "totalMinor", o.refunded_minor as "refundedMinor", o.currency, o.reference,
  o.all_or_nothing as "allOrNothing", o.created_at as "createdAt", o.updated_at as "updatedAt",
  (
    select json_agg(json_build_object(
      'productId', l.product_id, 'name', l.name, 'unitPriceMinor', l.unit_price_minor::text, 'quantity', l.quantity,
      'lineTotalMinor', l.line_total_minor::text, 'inputFields', l.input_fields,
      'fulfilledQuantity',
      case when o.all_or_nothing and o.status = 'processing' then 0 else l.fulfilled_quantity end, 'refundedQuantity', l.refunded_quantity,
      'failureCode', l.failure_code) order by l.line_index)
    from order_lines l where l.order_id = o.id
  ) as lines`;

export const findOrder = async (db: Queryable, tenant: Tenant, id: string): Promise<OrderRow | undefined> => {
  const [row] = await db.rows<OrderRow>(
    sql`
      select ${orderColumns} from orders o
      where o.id = ${id} and o.reseller_id = ${tenant.resellerId} and o.environment = ${tenant.environment}`,
    { name: "find-order" },
  );
  return row;
};

/** The operator's look at any order. */
export const findAnyOrder = async (db: Queryable, id: string) => {
  const [row] = await db.rows<OrderRow & Tenant & { idempotencyKey: string }>(sql`
    select o.reseller_id as "resellerId", o.environment, o.idempotency_key as "idempotencyKey", ${orderColumns}
    from orders o where o.id = ${id}`);
  return row;
};

export type OrderFilters = {
  status?: OrderStatus | undefined;
  reference?: string | undefined;
  idempotencyKey?: string | undefined;
  productId?: string | undefined;
  /** Bounds of the id, which are bounds of the time of creation. */
  fromId?: string | undefined;
  toId?: string | undefined;
};

export type OrderSelection = OrderFilters & { beforeId: string | undefined; limit: number };

export type OrderSlice = {
  rows: OrderRow[];
  /** The next page begins below this id; undefined when there is none. */
  nextBeforeId: string | undefined;
};

/** How many orders are looked at for one page when an index answers one filter and the orders themselves the others. */
const EXAMINED_MAX = 300;

/**
 * Newest first. Each filter has an index that ends in the id, so a page costs the same however many orders there are.
 * Of several filters one leads and the others are asked of each order that it brings. So that this costs no more
 * either, a page ends after so many orders, full or not, and the next one goes on from there.
 */
export async function listOrderRows(
  db: Queryable,
  tenant: Tenant,
  selection: OrderSelection,
): Promise<OrderSlice> {
  const [leading = newest(tenant, selection), ...others] = filtersOf(tenant, selection);
  const wanted = selection.limit + 1;
  const examinedMax = others.length === 0 ? wanted : EXAMINED_MAX;
  const matches = others.length === 0 ? sql`true` : join(others.map(conditionOf), " and ");
  const rows = await db.rows<SliceRow>(sql`
    with examined as materialized (
      select o.*, ${matches} as matches from (${leading.bring(examinedMax)}) o
    )
    select looked.*, shown.*
    from (select count(*) as examined, min(id) as "lastExaminedId" from examined) looked
    left join (
      select ${orderColumns} from examined o where o.matches order by o.id desc limit ${wanted}
    ) shown on true
    order by shown.id desc`);
  return toSlice(rows, selection.limit, examinedMax);
}

type SliceRow = OrderRow & { examined: bigint; lastExaminedId: string | null };

/** One way to narrow the list: which orders it brings by its index, and how it judges an order that another brought. */
type Filter = { bring: (limit: number) => Sql; condition: Sql };
const conditionOf = ({ condition }: Filter): Sql => condition;

/** The filters that were given, the one that is likely to bring the fewest orders first. */
function filtersOf(tenant: Tenant, selection: OrderSelection): Filter[] {
  const { idempotencyKey, reference, productId, status } = selection;
  const byStatus = status === undefined ? [] : [ofStatus(tenant, selection, status)];
  return [
    ...(idempotencyKey === undefined ? [] : [boundTo(tenant, selection, idempotencyKey)]),
    ...(reference === undefined ? [] : [ofReference(tenant, selection, reference)]),
    // Nearly all orders end as completed; those of any other status are few.
    ...(status === "completed" ? [] : byStatus),
    ...(productId === undefined ? [] : [ofProduct(tenant, selection, productId)]),
    ...(status === "completed" ? byStatus : []),
  ];
}

const newest = (tenant: Tenant, selection: OrderSelection): Filter => ({
  bring: (limit) => sql`
    select o.* from orders o where ${range(sql`o.reseller_id, o.environment, o.id`, tenant, [], selection)}
    order by o.reseller_id desc, o.environment desc, o.id desc limit ${limit}`,
  condition: sql`true`,
});

/** At most one order, found by its key before anything else is asked of it. */
const boundTo = (tenant: Tenant, selection: OrderSelection, idempotencyKey: string): Filter => ({
  bring: () => sql`
    select o.* from (select * from orders where binding = ${bindingKey(tenant, idempotencyKey)} limit 1) o
    where ${range(sql`o.reseller_id, o.environment, o.id`, tenant, [], selection)}`,
  condition: sql`o.idempotency_key = ${idempotencyKey}`,
});

const ofReference = (tenant: Tenant, selection: OrderSelection, reference: string): Filter => ({
  bring: (limit) => sql`
    select o.* from orders o
    where ${range(sql`o.reseller_id, o.environment, o.reference, o.id`, tenant, [reference], selection)}
      and o.reference is not null
    order by o.reseller_id desc, o.environment desc, o.reference desc, o.id desc limit ${limit}`,
  condition: sql`o.reference = ${reference}`,
});

const ofStatus = (tenant: Tenant, selection: OrderSelection, status: OrderStatus): Filter => ({
  bring: (limit) => sql`
    select o.* from orders o
    where ${range(sql`o.reseller_id, o.environment, o.status, o.id`, tenant, [status], selection)}
    order by o.reseller_id desc, o.environment desc, o.status desc, o.id desc limit ${limit}`,
  condition: sql`o.status = ${status}`,
});

/** A product's newest orders come from the index of the lines, which may name one order several times. */
const ofProduct = (tenant: Tenant, selection: OrderSelection, productId: string): Filter => ({
  bring: (limit) => sql`
    select o.* from (
      select distinct l.reseller_id, l.environment, l.product_id, l.order_id from order_lines l
      where ${range(sql`l.reseller_id, l.environment, l.product_id, l.order_id`, tenant, [productId], selection)}
      order by l.reseller_id desc, l.environment desc, l.product_id desc, l.order_id desc limit ${limit}
    ) bought join orders o on o.id = bought.order_id`,
  condition: sql`exists (select from order_lines l where l.order_id = o.id and l.product_id = ${productId})`,
});

/** Greater than every id. */
const NO_ID = "~";

/**
 * The rows of one tenant and value, newest first, are a range of one index. It is said as a comparison of whole rows and
 * ordered by all of its columns, because then no other index can do. Left to choose, PostgreSQL takes the table's own
 * index of ids and filters, which is fast as long as what is looked for is not far back, and else reads a whole year.
 */
function range(columns: Sql, tenant: Tenant, values: readonly string[], selection: OrderSelection): Sql {
  const { fromId = "", toId = NO_ID, beforeId = NO_ID } = selection;
  const rowWith = (id: string) => sql`(${join([tenant.resellerId, tenant.environment, ...values, id])})`;
  return sql`(${columns}) >= ${rowWith(fromId)} and (${columns}) < ${rowWith(toId < beforeId ? toId : beforeId)}`;
}

/** A list without orders still has one row, which says how many were looked at and no order. */
function toSlice(found: readonly SliceRow[], limit: number, examinedMax: number): OrderSlice {
  const matching = found.filter((row) => row.id !== null);
  const rows = matching.slice(0, limit);
  if (matching.length > limit) return { rows, nextBeforeId: rows.at(-1)?.id };
  const [looked] = found;
  const isWhole = looked === undefined || looked.examined < BigInt(examinedMax);
  return { rows, nextBeforeId: isWhole ? undefined : (looked.lastExaminedId ?? undefined) };
}
