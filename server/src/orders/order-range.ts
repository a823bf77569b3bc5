import sql, { empty, raw, type Sql } from "sql-template-tag";
import type { Tenant } from "../http/caller.ts";

/** Ids from the first, inclusive, to the second, exclusive. Ids begin with their time, so this is a range of times too. */
export type IdRange = { fromId: string; toId: string };

/** Less than every id, and greater than every id. */
export const EVERY_ID: IdRange = { fromId: "", toId: "~" };

/** One tenant, or the columns of a row that has one, for lists over all resellers. */
export type TenantValues = { resellerId: string | Sql; environment: Tenant["environment"] };
/** The environment as a column too. */
type AnyTenant = { resellerId: string | Sql; environment: Tenant["environment"] | Sql };

/**
 * An index of the rows of each tenant, or of those with one value of a column, by their ids. It is over a hash of tenant and value
 * (migration 0124), which others can share by chance, so each condition compares the columns too.
 */
export type TenantIndex = { table: string; id: Sql; hash: Sql; column?: Sql };

const tenantHash = ({ resellerId, environment }: AnyTenant): Sql =>
  sql`tenant_hash(${resellerId}, ${environment})`;

function indexOf(table: string, id: string, column?: string): TenantIndex {
  const tenant = tenantHash({
    resellerId: raw(`${table}.reseller_id`),
    environment: raw(`${table}.environment`),
  });
  const base = { table, id: raw(`${table}.${id}`) };
  if (column === undefined) return { ...base, hash: tenant };
  const value = raw(`${table}.${column}`);
  return { ...base, hash: sql`hashtextextended(${value}, ${tenant})`, column: value };
}

/** `orders` as `o`, and `order_lines` as `l`. */
export const NEWEST = indexOf("o", "id");
export const BY_STATUS = indexOf("o", "id", "status");
export const BY_REFERENCE = indexOf("o", "id", "reference");
export const LINES_BY_PRODUCT = indexOf("l", "order_id", "product_id");

/**
 * The rows of one tenant and value, newest first, are a range of one index. It is said as a comparison of whole rows and
 * ordered by all of its columns, because then no other index can do. Left to choose, PostgreSQL takes the table's own
 * index of ids and filters, which is fast as long as what is looked for is not far back, and else reads a whole year.
 */
export function inRange(
  index: TenantIndex,
  tenant: AnyTenant,
  { fromId, toId }: IdRange,
  value?: string,
): Sql {
  const hash = hashOf(tenant, value);
  // The end is included here and left out below. The planner goes by the hash alone, and of all hashes below that of a large tenant it
  // would expect few rows, which it sorts; up to it, all of them.
  return sql`
    (${index.hash}, ${index.id}) >= (${hash}, ${fromId}) and (${index.hash}, ${index.id}) <= (${hash}, ${toId})
    and ${isSame(index, tenant, value, sql`and ${index.id} < ${toId}`)}`;
}

/** All of them, in no order. */
export const isOf = (index: TenantIndex, tenant: AnyTenant, value?: string): Sql =>
  sql`${index.hash} = ${hashOf(tenant, value)} and ${isSame(index, tenant, value)}`;

/** What a list in a range is ordered by. */
export const newestFirst = ({ hash, id }: TenantIndex): Sql => sql`${hash} desc, ${id} desc`;
export const oldestFirst = ({ hash, id }: TenantIndex): Sql => sql`${hash}, ${id}`;

const hashOf = (tenant: AnyTenant, value?: string): Sql =>
  value === undefined ? tenantHash(tenant) : sql`hashtextextended(${value}, ${tenantHash(tenant)})`;

/**
 * Not as plain conditions: the planner would count on them and not on the hash, expect a row or none, and sort all that it
 * finds instead of reading the first ones in order.
 */
const isSame = (
  { table, column }: TenantIndex,
  { resellerId, environment }: AnyTenant,
  value?: string,
  more: Sql = empty,
): Sql => sql`
  case when ${raw(table)}.reseller_id = ${resellerId} and ${raw(table)}.environment = ${environment}
    ${column === undefined ? empty : sql`and ${column} = ${value}`} ${more} then true end`;

/** The newest orders of a tenant. */
export const newestOrders = (tenant: TenantValues, ids: IdRange, limit: number): Sql => sql`
  select o.* from orders o where ${inRange(NEWEST, tenant, ids)} order by ${newestFirst(NEWEST)} limit ${limit}`;

/** What lies in all of the ranges. */
export const intersect = (ranges: readonly Partial<IdRange>[]): IdRange =>
  ranges.reduce<IdRange>(
    (all, { fromId = EVERY_ID.fromId, toId = EVERY_ID.toId }) => ({
      fromId: fromId > all.fromId ? fromId : all.fromId,
      toId: toId < all.toId ? toId : all.toId,
    }),
    EVERY_ID,
  );
