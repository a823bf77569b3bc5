import sql, { type Sql } from "sql-template-tag";

/** What was paid for codes of one currency. */
export type StockValue = { currency: string; minor: bigint };

/**
 * The sum of the costs in each currency, of rows `one` with a cost and its currency, as JSON. A code of unknown cost is worth
 * nothing here.
 */
export const valueByCurrency = (rows: Sql): Sql => sql`
  (select coalesce(json_agg(json_build_object('currency', currency, 'minor', minor::text) order by currency), '[]')
   from (select currency, sum(cost)::bigint as minor from ${rows} one where cost is not null group by currency) sums)`;

/** The cost of a code `c` with its batch `b` on the route `r`: what its batch says, or else its route. */
export const costOfCode = sql`
  coalesce(b.cost_minor, r.cost_minor) as cost,
  case when b.cost_minor is null then r.cost_currency else b.cost_currency end as currency`;

/** The JSON of `valueByCurrency` has amounts as text, because a number could lose digits. */
export const toValues = (values: readonly { currency: string; minor: string }[]): StockValue[] =>
  values.map(({ currency, minor }) => ({ currency, minor: BigInt(minor) }));

/**
 * The order of the index of the stock, for codes `c` of one product that are counted or looked for up to a limit. Without it
 * PostgreSQL reads the table of codes from its beginning, because it expects to find enough of them soon: where a product has none it
 * reads every code, and again for the next product.
 */
export const inStockOrder = sql`order by c.product_id, c.supplier_id, c.expires_at, c.id`;
