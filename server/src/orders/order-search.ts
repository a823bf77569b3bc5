import sql, { type Sql } from "sql-template-tag";
import { ORDER_FILTERS } from "./order-filters.ts";
import { type IdRange, intersect, newestOrders, type TenantValues } from "./order-range.ts";

/** The prefix and some of the time: what people paste when they have only the beginning of an id. */
const ID_BEGINNING = /^ord_[0-9a-z]{4,26}$/;

/**
 * The orders whose id is or begins with this text, whose reference it is, or whose idempotency key it is, newest first. Each
 * of the three is read from its index, so a search costs the same for any number of orders.
 */
export const searchedOrders = (tenant: TenantValues, text: string, ids: IdRange, limit: number): Sql => {
  const { reference, idempotencyKey } = ORDER_FILTERS;
  return sql`
    select o.* from (
      select * from (${idsThatBegin(tenant, text, ids, limit)}) by_id
      union select * from (${reference.lead.bring(tenant, text, ids, limit)}) by_reference
      union select * from (${idempotencyKey.lead.bring(tenant, text, ids, limit)}) by_key
    ) o order by o.id desc limit ${limit}`;
};

/** All ids with one beginning are a range. A text that is no id has an empty one. */
function idsThatBegin(tenant: TenantValues, text: string, ids: IdRange, limit: number): Sql {
  const range = ID_BEGINNING.test(text) ? { fromId: text, toId: `${text}~` } : { toId: "" };
  return newestOrders(tenant, intersect([ids, range]), limit);
}
