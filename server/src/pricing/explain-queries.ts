import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";
import type { PriceFor } from "./choose-rule.ts";

export const findTarget = async (db: Queryable, resellerId: string): Promise<PriceFor | undefined> => {
  const [row] = await db.rows<PriceFor>(sql`
    select id as "resellerId", price_list as "priceList", currency from resellers where id = ${resellerId}`);
  return row;
};

/** The price that an order pays now. */
export type Published = { amountMinor: bigint; byHand: boolean; basis: string | null; isOwn: boolean };

export const findPublished = async (
  db: Queryable,
  productId: string,
  { resellerId, priceList, currency }: PriceFor,
): Promise<Published | undefined> => {
  const [row] = await db.rows<Published>(sql`
    select amount_minor as "amountMinor", by_hand as "byHand", basis, true as "isOwn"
    from reseller_prices where reseller_id = ${resellerId} and product_id = ${productId}
    union all
    select amount_minor, by_hand, basis, false
    from list_prices where product_id = ${productId} and price_list = ${priceList} and currency = ${currency}
      and not exists (
        select from unpriced_products
        where reseller_id = ${resellerId} and product_id = ${productId} and currency = ${currency}
      )
    order by "isOwn" desc limit 1`);
  return row;
};
