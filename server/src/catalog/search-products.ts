import sql, { empty } from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

export type ProductSearch = {
  /** Words that must all appear in the id or the name, in any letter case. */
  words: readonly string[];
  type?: "gift_card" | "top_up" | undefined;
  hidden?: boolean | undefined;
  afterId: string;
  limit: number;
};

export type FoundProduct = {
  id: string;
  name: string;
  type: "gift_card" | "top_up";
  faceValueAmount: string;
  faceValueUnit: string;
  faceValueCurrency: string;
  faceValueIsMoney: boolean;
  active: boolean;
  hidden: boolean;
  supply: "available" | "empty" | "none";
  listPrices: number;
  resellerPrices: number;
};

/** Products by id, with everything that decides whether they can be bought. */
export async function searchProducts(
  db: Queryable,
  search: ProductSearch,
): Promise<{ products: FoundProduct[]; hasMore: boolean }> {
  const patterns = search.words.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);
  const rows = await db.rows<FoundProduct>(sql`
    select p.id, p.name, p.type, p.face_value_amount as "faceValueAmount", p.face_value_unit as "faceValueUnit",
           p.face_value_currency as "faceValueCurrency", p.face_value_is_money as "faceValueIsMoney",
           p.active, p.hidden, coalesce(s.state, 'none') as supply,
           (select count(*) from list_prices l where l.product_id = p.id)::integer as "listPrices",
           (select count(*) from reseller_prices o where o.product_id = p.id)::integer as "resellerPrices"
    from products p left join product_supply s on s.product_id = p.id
    where p.id > ${search.afterId} and (p.id || ' ' || p.name) ilike all (${patterns}::text[])
      ${search.type === undefined ? empty : sql`and p.type = ${search.type}`}
      ${search.hidden === undefined ? empty : sql`and p.hidden = ${search.hidden}`}
    order by p.id limit ${search.limit + 1}`);
  return { products: rows.slice(0, search.limit), hasMore: rows.length > search.limit };
}
