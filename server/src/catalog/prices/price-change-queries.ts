import sql, { type Sql } from "sql-template-tag";
import type { Tx } from "../../db/database.ts";
import type { PriceKey } from "./price-import-queries.ts";

type Price = PriceKey & { amountMinor: bigint };

/** A price that an import would change. Amounts are text, because a preview is kept as JSON. */
export type PriceChange = PriceKey & { productName: string; oldMinor: string | null; newMinor: string };

/** The changes of a file: how many resellers they concern, and the largest of them. */
export type PriceChanges = { resellers: number; changes: PriceChange[] };

/** What differs from the prices of now, before they are written: the largest relative changes first, then new prices. */
export async function listPriceChanges(
  tx: Tx,
  prices: readonly Price[],
  limit: number,
): Promise<PriceChanges> {
  const changed = changedPrices(prices);
  const changes = await tx.rows<PriceChange>(sql`
    with changed as (${changed})
    select c.product_id as "productId", p.name as "productName", c.price_list as "priceList",
           c.reseller_id as "resellerId", c.currency, c.old_minor::text as "oldMinor", c.new_minor::text as "newMinor"
    from changed c join products p on p.id = c.product_id
    order by abs(c.new_minor - c.old_minor)::numeric / nullif(c.old_minor, 0) desc nulls last, c.product_id, c.price_list
    limit ${limit}`);
  const [row] = await tx.rows<{ resellers: number }>(sql`
    with changed as materialized (${changed}),
         lists as (select distinct price_list, currency from changed where reseller_id is null)
    select count(*)::integer as resellers from resellers r
    where exists (select from lists l where l.price_list = r.price_list and l.currency = r.currency)
      or r.id in (select reseller_id from changed where reseller_id is not null)`);
  return { resellers: row?.resellers ?? 0, changes };
}

const changedPrices = (prices: readonly Price[]): Sql => sql`
  select * from (
    select n.product_id, n.price_list, n.reseller_id, n.currency, n.new_minor,
           case when n.reseller_id is null then l.amount_minor else r.amount_minor end as old_minor
    from unnest(
      ${prices.map((one) => one.productId)}::text[], ${prices.map((one) => one.priceList)}::text[],
      ${prices.map((one) => one.resellerId)}::text[], ${prices.map((one) => one.currency)}::text[],
      ${prices.map((one) => one.amountMinor)}::bigint[]
    ) as n (product_id, price_list, reseller_id, currency, new_minor)
    left join list_prices l on n.reseller_id is null and l.product_id = n.product_id
      and l.price_list = n.price_list and l.currency = n.currency
    left join reseller_prices r on r.reseller_id = n.reseller_id and r.product_id = n.product_id
  ) compared where old_minor is distinct from new_minor`;
