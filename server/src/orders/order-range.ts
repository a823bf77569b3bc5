import sql, { join, type Sql } from "sql-template-tag";
import type { Tenant } from "../http/caller.ts";

/** Ids from the first, inclusive, to the second, exclusive. Ids begin with their time, so this is a range of times too. */
export type IdRange = { fromId: string; toId: string };

/** Less than every id, and greater than every id. */
export const EVERY_ID: IdRange = { fromId: "", toId: "~" };

/** One tenant, or the columns of a row that has one, for lists over all resellers. */
export type TenantValues = { resellerId: string | Sql; environment: Tenant["environment"] };

/**
 * The rows of one tenant and value, newest first, are a range of one index. It is said as a comparison of whole rows and
 * ordered by all of its columns, because then no other index can do. Left to choose, PostgreSQL takes the table's own
 * index of ids and filters, which is fast as long as what is looked for is not far back, and else reads a whole year.
 */
export function inRange(
  columns: Sql,
  { resellerId, environment }: TenantValues,
  values: readonly string[],
  { fromId, toId }: IdRange,
): Sql {
  const rowWith = (id: string) => sql`(${join([resellerId, environment, ...values, id])})`;
  return sql`(${columns}) >= ${rowWith(fromId)} and (${columns}) < ${rowWith(toId)}`;
}

/** What lies in all of the ranges. */
export const intersect = (ranges: readonly Partial<IdRange>[]): IdRange =>
  ranges.reduce<IdRange>(
    (all, { fromId = EVERY_ID.fromId, toId = EVERY_ID.toId }) => ({
      fromId: fromId > all.fromId ? fromId : all.fromId,
      toId: toId < all.toId ? toId : all.toId,
    }),
    EVERY_ID,
  );
