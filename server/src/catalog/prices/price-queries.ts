import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";

export type ProductPrice = { productId: string; amountMinor: bigint; strikeMinor: bigint | null };

export const upsertListPrice = (
  db: Queryable,
  price: ProductPrice & { priceList: string; currency: string },
  now: Date,
) =>
  db.rows(sql`
    insert into list_prices (product_id, price_list, currency, amount_minor, strike_minor, updated_at)
    values (${price.productId}, ${price.priceList}, ${price.currency}, ${price.amountMinor}, ${price.strikeMinor}, ${now})
    on conflict (product_id, price_list, currency) do update
      set amount_minor = excluded.amount_minor, strike_minor = excluded.strike_minor, updated_at = excluded.updated_at,
          by_hand = true, at_floor = false, basis = null`);

export const upsertResellerPrice = (db: Queryable, price: ProductPrice & { resellerId: string }, now: Date) =>
  db.rows(sql`
    insert into reseller_prices (reseller_id, product_id, amount_minor, strike_minor, updated_at)
    values (${price.resellerId}, ${price.productId}, ${price.amountMinor}, ${price.strikeMinor}, ${now})
    on conflict (reseller_id, product_id) do update
      set amount_minor = excluded.amount_minor, strike_minor = excluded.strike_minor, updated_at = excluded.updated_at,
          by_hand = true, at_floor = false, basis = null`);

const removedColumns = sql`product_id as "productId", amount_minor as "amountMinor", strike_minor as "strikeMinor"`;

export const deleteListPrice = (
  db: Queryable,
  key: { productId: string; priceList: string; currency: string },
) =>
  db.rows<ProductPrice>(sql`
    delete from list_prices
    where product_id = ${key.productId} and price_list = ${key.priceList} and currency = ${key.currency}
    returning ${removedColumns}`);

export const deleteResellerPrice = (db: Queryable, productId: string, resellerId: string) =>
  db.rows<ProductPrice>(sql`
    delete from reseller_prices where product_id = ${productId} and reseller_id = ${resellerId}
    returning ${removedColumns}`);

/** The resellers whose own price for a product overrides the list price, and how many resellers use the list. */
export const countListUsers = async (
  db: Queryable,
  list: { productId: string; priceList: string; currency: string },
): Promise<{ users: number; ownPrices: number }> => {
  const [row] = await db.rows<{ users: number; ownPrices: number }>(sql`
    select count(*)::integer as users, count(o.product_id)::integer as "ownPrices"
    from resellers r
    left join reseller_prices o on o.reseller_id = r.id and o.product_id = ${list.productId}
    where r.price_list = ${list.priceList} and r.currency = ${list.currency}`);
  return row ?? { users: 0, ownPrices: 0 };
};

export type PriceRow = ProductPrice & {
  priceList: string | null;
  resellerId: string | null;
  currency: string;
};

/** List prices and reseller prices, by product. A null filter matches everything. */
export const listPriceRows = (
  db: Queryable,
  filter: { productId: string | null; resellerId: string | null; priceList: string | null },
) =>
  db.rows<PriceRow>(sql`
    select product_id as "productId", price_list as "priceList", reseller_id as "resellerId", currency,
           amount_minor as "amountMinor", strike_minor as "strikeMinor"
    from (
      select product_id, price_list, null as reseller_id, currency, amount_minor, strike_minor from list_prices
      union all
      select o.product_id, null, o.reseller_id, r.currency, o.amount_minor, o.strike_minor
      from reseller_prices o join resellers r on r.id = o.reseller_id
    ) prices
    where (${filter.productId}::text is null or product_id = ${filter.productId})
      and (${filter.resellerId}::text is null or reseller_id = ${filter.resellerId})
      and (${filter.priceList}::text is null or price_list = ${filter.priceList})
    order by product_id, price_list nulls last, currency, reseller_id`);

export const insertUnlisted = (db: Queryable, resellerId: string, productId: string) =>
  db.rows(sql`
    insert into unlisted_products (reseller_id, product_id) values (${resellerId}, ${productId})
    on conflict do nothing`);

export const deleteUnlisted = (db: Queryable, resellerId: string, productId: string) =>
  db.rows(sql`delete from unlisted_products where reseller_id = ${resellerId} and product_id = ${productId}`);

/** The resellers that do not see a product. */
export const listUnlisted = (db: Queryable, productId: string, limit: number) =>
  db.rows<{ resellerId: string; resellerName: string }>(sql`
    select r.id as "resellerId", r.name as "resellerName"
    from resellers r join unlisted_products u on u.reseller_id = r.id and u.product_id = ${productId}
    order by r.id limit ${limit}`);
