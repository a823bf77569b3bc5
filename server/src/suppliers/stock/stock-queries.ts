import sql, { empty } from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import { costOfCode, type StockValue } from "./stock-order.ts";

/** How many codes of a product can be sold now. */
export async function countAvailable(
  db: Queryable,
  stock: { productId: string; supplierId: string; now: Date },
): Promise<number> {
  const [row] = await db.rows<{ level: number }>(sql`
    select count(*)::integer as level from codes
    where product_id = ${stock.productId} and supplier_id = ${stock.supplierId} and state = 'stock'
      and (expires_at is null or expires_at > ${stock.now})`);
  return row?.level ?? 0;
}

export type StockLevelRow = {
  productId: string;
  supplierId: string;
  supplierName: string;
  available: number;
  expired: number;
  delivered: number;
  quarantined: number;
  /** Was in stock and does not open. */
  damaged: number;
  /** Taken out by the operator. */
  withdrawn: number;
  /** What the available codes cost, by currency. */
  value: StockValue[];
  /** Available codes whose cost is not known: their value is missing. */
  withoutCost: number;
};

/** Stock by product and supplier. A route to a supplier that never had a code of the product is a level of zero. */
export async function listStockLevels(
  db: Queryable,
  filter: { productId: string | undefined; now: Date },
): Promise<StockLevelRow[]> {
  const { productId, now } = filter;
  const ofProduct = productId === undefined ? empty : sql`and x.product_id = ${productId}`;
  const counts = await db.rows<Omit<StockLevelRow, "value" | "withoutCost">>(sql`
    select counted.product_id as "productId", s.id as "supplierId", s.name as "supplierName",
           sum(available)::integer as available, sum(expired)::integer as expired,
           sum(delivered)::integer as delivered, sum(quarantined)::integer as quarantined,
           sum(damaged)::integer as damaged, sum(withdrawn)::integer as withdrawn
    from (
      select x.product_id, x.supplier_id,
             count(*) filter (where state = 'stock' and (expires_at is null or expires_at > ${now})) as available,
             count(*) filter (where state = 'expired' or (state = 'stock' and expires_at <= ${now})) as expired,
             count(*) filter (where state = 'delivered') as delivered,
             count(*) filter (where state = 'quarantined') as quarantined,
             count(*) filter (where state = 'damaged') as damaged,
             count(*) filter (where state = 'withdrawn') as withdrawn
      from codes x
      where x.environment = 'live' ${ofProduct}
      group by x.product_id, x.supplier_id
      union all
      select x.product_id, x.supplier_id, 0, 0, 0, 0, 0, 0 from supplier_routes x where true ${ofProduct}
    ) counted
    join suppliers s on s.id = counted.supplier_id and s.has_own_stock
    group by counted.product_id, s.id, s.name
    order by counted.product_id, s.id`);
  const values = await db.rows<{
    productId: string;
    supplierId: string;
    currency: string | null;
    minor: bigint;
    count: number;
  }>(sql`
    select product_id as "productId", supplier_id as "supplierId", currency, coalesce(sum(cost), 0)::bigint as minor,
           count(*)::integer as count
    from (
      select x.product_id, x.supplier_id, ${costOfCode}
      from codes x
      left join stock_batches b on b.id = x.batch_id
      left join supplier_routes r on r.product_id = x.product_id and r.supplier_id = x.supplier_id
      where x.state = 'stock' and (x.expires_at is null or x.expires_at > ${now}) ${ofProduct}
    ) one
    group by product_id, supplier_id, currency
    order by product_id, supplier_id, currency`);
  const ofRow = Map.groupBy(values, (one) => `${one.productId} ${one.supplierId}`);
  return counts.map((row) => {
    const own = ofRow.get(`${row.productId} ${row.supplierId}`) ?? [];
    return {
      ...row,
      value: own.flatMap(({ currency, minor }) => (currency === null ? [] : [{ currency, minor }])),
      withoutCost: own.find(({ currency }) => currency === null)?.count ?? 0,
    };
  });
}
