import sql, { join, type Sql } from "sql-template-tag";
import type { TSchema } from "typebox";
import { Type } from "../http/openapi/type.ts";
import { type Asked, invalidParameter, queryFilter, queryTime, REPEATABLE } from "../http/query.ts";
import { firstIdAt } from "../lib/ids.ts";
import {
  BY_REFERENCE,
  BY_STATUS,
  type IdRange,
  inRange,
  LINES_BY_PRODUCT,
  NEWEST,
  newestFirst,
  type TenantValues,
} from "./order-range.ts";
import { bindingKey } from "./placing/decide-placements.ts";
import { isOrderStatus, ORDER_STATUSES, type OrderStatus } from "./status.ts";

/** One filter of a list of orders. */
export type OrderFilter<Value> = {
  /** The query parameter as the API reference shows it. */
  schema: TSchema;
  /** The parameter's value. Throws for an invalid value. */
  parse(request: Asked, name: string): Value | undefined;
  /** Whether the order `o` matches. */
  condition(value: Value): Sql;
  /** How an index finds the matching orders of a tenant, newest first. */
  lead?: {
    /** Of several filters, the one with the lowest rank leads, because it is likely to find the fewest orders. */
    rank(value: Value): number;
    bring(tenant: TenantValues, value: Value, ids: IdRange, limit: number): Sql;
  };
  /** The range of ids that is equivalent to the condition. Every index is then read only in that range. */
  ids?(value: Value): Partial<IdRange>;
};

/** A filter that an index can lead. */
type IndexedFilter<Value> = OrderFilter<Value> & Required<Pick<OrderFilter<Value>, "lead">>;

const status: OrderFilter<readonly OrderStatus[]> = {
  schema: Type.String({
    description: `Several are separated by commas, or the parameter is sent several times. Return only orders with this status: ${ORDER_STATUSES.join(", ")}.`,
    examples: ["processing,failed"],
    ...REPEATABLE,
  }),
  parse(request, name) {
    const words = queryFilter(request, name)?.split(",");
    if (words === undefined || words.every(isOrderStatus)) return words && [...new Set(words)];
    throw invalidParameter(name, `${name} must be one or several of ${ORDER_STATUSES.join(", ")}.`);
  },
  condition: (value) =>
    value.length === 1 ? sql`o.status = ${value[0]}` : sql`o.status = any(${value}::text[])`,
  lead: {
    // Almost all orders end as completed. Any other status is rare.
    rank: (value) => (value.includes("completed") ? 5 : 3),
    // The newest of each status, and of these the newest.
    bring: (tenant, value, ids, limit) => sql`
      select o.* from (${join(
        value.map(
          (one) => sql`(
            select o.* from orders o
            where ${inRange(BY_STATUS, tenant, ids, one)} order by ${newestFirst(BY_STATUS)} limit ${limit})`,
        ),
        " union all ",
      )}) o order by o.id desc limit ${limit}`,
  },
};

const reference: IndexedFilter<string> = {
  schema: Type.String({ description: "Return only orders with exactly this reference." }),
  parse: queryFilter,
  condition: (value) => sql`o.reference = ${value}`,
  lead: {
    rank: () => 2,
    bring: (tenant, value, ids, limit) => sql`
      select o.* from orders o
      where ${inRange(BY_REFERENCE, tenant, ids, value)} and o.reference is not null
      order by ${newestFirst(BY_REFERENCE)} limit ${limit}`,
  },
};

const idempotencyKey: IndexedFilter<string> = {
  schema: Type.String({
    description:
      "Return only the order with this Idempotency-Key. Use it to find out whether a request that timed out was charged.",
  }),
  parse: queryFilter,
  condition: (value) => sql`o.idempotency_key = ${value}`,
  lead: {
    rank: () => 1,
    // At most one order, found by its key before any other filter applies.
    bring: (tenant, value, ids) => sql`
      select o.* from (select * from orders where binding = ${bindingOf(tenant, value)} limit 1) o
      where ${inRange(NEWEST, tenant, ids)}`,
  },
};

const bindingOf = ({ resellerId, environment }: TenantValues, key: string): string | Sql =>
  typeof resellerId === "string"
    ? bindingKey({ resellerId, environment }, key)
    : sql`${resellerId} || ${bindingKey({ resellerId: "", environment }, key)}::text`;

const productId: OrderFilter<string> = {
  schema: Type.String({ description: "Return only orders with a line for this product." }),
  parse: queryFilter,
  condition: (value) =>
    sql`exists (select from order_lines l where l.order_id = o.id and l.product_id = ${value})`,
  lead: {
    rank: () => 4,
    // A product's newest orders come from the index of lines, which can list an order several times.
    bring: (tenant, value, ids, limit) => sql`
      select o.* from (
        select distinct ${LINES_BY_PRODUCT.hash}, l.order_id from order_lines l
        where ${inRange(LINES_BY_PRODUCT, tenant, ids, value)} order by ${newestFirst(LINES_BY_PRODUCT)} limit ${limit}
      ) bought join orders o on o.id = bought.order_id`,
  },
};

/** The creation time is the time inside the id. */
const firstOrderAt = (time: Date): string => firstIdAt("ord", time.getTime());

const createdFrom: OrderFilter<Date> = {
  schema: Type.String({
    format: "date-time",
    description: "Return only orders created at or after this time.",
  }),
  parse: queryTime,
  condition: (value) => sql`o.id >= ${firstOrderAt(value)}`,
  ids: (value) => ({ fromId: firstOrderAt(value) }),
};

const createdTo: OrderFilter<Date> = {
  schema: Type.String({ format: "date-time", description: "Return only orders created before this time." }),
  parse: queryTime,
  condition: (value) => sql`o.id < ${firstOrderAt(value)}`,
  ids: (value) => ({ toId: firstOrderAt(value) }),
};

/**
 * The filters of a list of orders. The route's parameters, the cursor's scope and the SQL follow this table, and so
 * do the matching options of `scrip order list`. A new filter needs an index that ends in the id, or must be
 * combined with one that has it.
 */
export const ORDER_FILTERS = { status, reference, idempotencyKey, productId, createdFrom, createdTo };

export type OrderFilterName = keyof typeof ORDER_FILTERS;
export const ORDER_FILTER_NAMES = Object.keys(ORDER_FILTERS) as OrderFilterName[];

/** A value for each given filter. */
export type OrderFilterValues = {
  [Name in OrderFilterName]?: NonNullable<ReturnType<(typeof ORDER_FILTERS)[Name]["parse"]>> | undefined;
};

/** Each given filter with its value. */
export const givenFilters = (values: OrderFilterValues): { filter: OrderFilter<unknown>; value: unknown }[] =>
  ORDER_FILTER_NAMES.flatMap((name) => {
    const value = values[name];
    return value === undefined ? [] : [{ filter: ORDER_FILTERS[name] as OrderFilter<unknown>, value }];
  });
