import sql, { type Sql } from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { ProductType, Supply } from "../queries.ts";

/** Everything in a scope up to here has been read. */
export type ScopePosition = { change: bigint; id: string };

/** What the filters ask of a product, the same for every reseller. */
export type IndexedRow = {
  id: string;
  name: string;
  brand: string | null;
  category: string | null;
  country: string | null;
  type: ProductType;
  isOnSale: boolean;
  supply: Supply;
};

/** Where the catalog and one reseller's view of it are now: the number of the last change in each scope, -1 where there is none. */
export type ScopeHeads = {
  catalogRevision: string;
  currency: string;
  priceList: string;
  all: bigint;
  list: bigint;
  own: bigint;
};

export async function findScopeHeads(db: Queryable, resellerId: string): Promise<ScopeHeads> {
  const [row] = await db.rows<ScopeHeads>(
    sql`
      select c.revision || '.' || r.catalog_revision as "catalogRevision", r.currency, r.price_list as "priceList",
             ${headOf(sql`'all'`)} as all, ${headOf(sql`catalog_list_scope(r.currency, r.price_list)`)} as list,
             ${headOf(sql`'reseller ' || r.id`)} as own
      from resellers r cross join catalog_state c where r.id = ${resellerId}`,
    { name: "find-scope-heads" },
  );
  if (!row) throw new Error("an active key's reseller does not exist");
  return row;
}

const headOf = (scope: Sql): Sql => sql`
  coalesce((select change from catalog_changes where scope = ${scope} order by scope desc, change desc limit 1), -1)`;

const indexedColumns: Sql = sql`
  p.id, p.name, p.brand, p.category, p.country, p.type, p.active and not p.hidden as "isOnSale",
  coalesce((select state from product_supply s where s.product_id = p.id limit 1), 'none') as supply`;

/** Changed products, by the number of their change. A deleted one is not on sale. */
export const listIndexedSince = (db: Queryable, after: ScopePosition, limit: number) =>
  db.rows<{ change: bigint; productId: string; row: IndexedRow | null }>(
    sql`
      select c.change, c.product_id as "productId",
             (select row_to_json(found) from (
               select ${indexedColumns} from products p where p.id = c.product_id
             ) found) as row
      from (${changedIn(sql`'all'`, after, limit)}) c
      order by c.change, c.product_id`,
    { name: "list-indexed-since" },
  );

/**
 * All products in the order of their ids, for an index that knows none. Ten times as fast as one after another by the number of its
 * change.
 */
export const listIndexed = (db: Queryable, afterId: string, limit: number) =>
  db.rows<IndexedRow>(
    sql`
      select p.id, p.name, p.brand, p.category, p.country, p.type, p.active and not p.hidden as "isOnSale",
             coalesce(s.state, 'none') as supply
      from (select * from products where id > ${afterId} order by id limit ${limit}) p
      left join product_supply s on s.product_id = p.id
      order by p.id`,
    { name: "list-indexed" },
  );

const LAST_CHANGE = 2n ** 63n - 1n;

/** It compares and sorts whole rows, so that only the index fits, whatever the planner knows. */
const changedIn = (scope: Sql, after: ScopePosition, limit: number): Sql => sql`
  select change, product_id from catalog_changes
  where (scope, change, product_id) > (${scope}, ${after.change}::bigint, ${after.id}::text collate "C")
    and (scope, change) <= (${scope}, ${LAST_CHANGE}::bigint)
  order by scope, change, product_id limit ${limit}`;

export type PriceFlags = {
  change: bigint;
  productId: string;
  isPriced: boolean;
  isUnlisted: boolean;
  /** The price of a list does not count while the reseller's own price is withheld. */
  isWithheld: boolean;
};

export const listListFlags = (
  db: Queryable,
  { currency, priceList }: { currency: string; priceList: string },
  after: ScopePosition,
  limit: number,
) =>
  db.rows<PriceFlags>(
    sql`
      select c.change, c.product_id as "productId", false as "isUnlisted", false as "isWithheld",
             exists (select from list_prices l where l.product_id = c.product_id and l.price_list = ${priceList}
                       and l.currency = ${currency}) as "isPriced"
      from (${changedIn(sql`catalog_list_scope(${currency}, ${priceList})`, after, limit)}) c
      order by c.change, c.product_id`,
    { name: "list-list-flags" },
  );

/** The products that have a price in a list, in the order of their ids, for a set that knows none. */
export const listPriced = (
  db: Queryable,
  { currency, priceList }: { currency: string; priceList: string },
  afterId: string,
  limit: number,
) =>
  db.rows<{ productId: string }>(
    sql`
      select product_id as "productId" from list_prices
      where price_list = ${priceList} and currency = ${currency} and product_id > ${afterId}
      order by product_id limit ${limit}`,
    { name: "list-priced" },
  );

export const listOwnFlags = (db: Queryable, resellerId: string, after: ScopePosition, limit: number) =>
  db.rows<PriceFlags>(
    sql`
      select c.change, c.product_id as "productId",
             exists (select from reseller_prices o where o.reseller_id = ${resellerId} and o.product_id = c.product_id) as "isPriced",
             exists (select from unlisted_products u where u.reseller_id = ${resellerId} and u.product_id = c.product_id)
               as "isUnlisted",
             exists (select from unpriced_products u
                     where u.reseller_id = ${resellerId} and u.product_id = c.product_id
                       and u.currency = (select currency from resellers where id = ${resellerId})) as "isWithheld"
      from (${changedIn(sql`'reseller ' || ${resellerId}::text`, after, limit)}) c
      order by c.change, c.product_id`,
    { name: "list-own-flags" },
  );
