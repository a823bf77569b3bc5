import sql, { empty } from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import { costOfCode, inStockOrder, type StockValue, toValues, valueByCurrency } from "./stock-order.ts";

export type StockedProduct = {
  productId: string;
  productName: string;
  supplierId: string;
  supplierName: string;
  /** Counted up to `COUNTED_MAX`. */
  available: number;
  /** Those of them that expire within 30 days. */
  expiring: number;
  firstExpiry: Date | null;
  /** What the counted codes cost, by currency. */
  value: StockValue[];
  /** What one code of them cost at least and at most, where all have one currency. */
  costFrom: bigint | null;
  costTo: bigint | null;
  /** What the route says, which price rules use. */
  costMinor: bigint | null;
  costCurrency: string | null;
};

type StockedRow = Omit<StockedProduct, "value"> & { value: { currency: string; minor: string }[] };

/** More codes than this are shown as "more than": counting all of a large stock would take long. */
export const COUNTED_MAX = 10_000;
const EXPIRING_DAYS = 30;
const DAY_MS = 86_400_000;

/**
 * Products that are sold from stock, by id, with how much there is. Each count is bounded and uses the index of the stock. `after`
 * is the `next` of the page before, or empty.
 */
export async function listStock(
  db: Queryable,
  filter: { productId?: string | undefined; after: string; limit: number; now: Date },
): Promise<{ data: StockedProduct[]; next: string | undefined }> {
  const { now } = filter;
  const [afterProduct = "", afterSupplier = ""] = filter.after.split(" ");
  const soon = new Date(now.getTime() + EXPIRING_DAYS * DAY_MS);
  const rows = await db.rows<StockedRow>(sql`
    select r.product_id as "productId", p.name as "productName", s.id as "supplierId", s.name as "supplierName",
           r.cost_minor as "costMinor", r.cost_currency as "costCurrency", stocked.available, stocked.expiring,
           stocked.first_expiry as "firstExpiry", stocked.value, stocked.cost_from as "costFrom", stocked.cost_to as "costTo"
    from supplier_routes r
    join suppliers s on s.id = r.supplier_id and s.has_own_stock
    join products p on p.id = r.product_id
    cross join lateral (
      with counted as materialized (
        select c.expires_at, ${costOfCode} from codes c left join stock_batches b on b.id = c.batch_id
        where c.state = 'stock' and c.product_id = r.product_id and c.supplier_id = r.supplier_id
          and (c.expires_at is null or c.expires_at > ${now})
        ${inStockOrder} limit ${COUNTED_MAX}
      )
      select count(*)::integer as available, (count(*) filter (where expires_at <= ${soon}))::integer as expiring,
             min(expires_at) as first_expiry, ${valueByCurrency(sql`counted`)} as value,
             case when min(currency) = max(currency) then min(cost) end as cost_from,
             case when min(currency) = max(currency) then max(cost) end as cost_to
      from counted
    ) stocked
    where (r.product_id, r.supplier_id) > (${afterProduct}, ${afterSupplier})
      ${filter.productId === undefined ? empty : sql`and r.product_id = ${filter.productId}`}
    order by r.product_id, r.supplier_id limit ${filter.limit + 1}`);
  const data = rows.slice(0, filter.limit).map((row) => ({ ...row, value: toValues(row.value) }));
  const last = data.at(-1);
  const next = last && rows.length > filter.limit ? `${last.productId} ${last.supplierId}` : undefined;
  return { data, next };
}
