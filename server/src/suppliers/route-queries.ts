import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

export type RouteRow = {
  productId: string;
  supplierId: string;
  priority: number;
  costMinor: bigint | null;
  costCurrency: string | null;
  /** The most that is accepted for a unit of a supplier that is called; null for no more than the cost. */
  maxCostMinor: bigint | null;
  sku: string;
};

const routeColumns = sql`
  product_id as "productId", supplier_id as "supplierId", priority, cost_minor as "costMinor",
  cost_currency as "costCurrency", max_cost_minor as "maxCostMinor", sku`;

export type RouteKey = Pick<RouteRow, "productId" | "supplierId">;

export const findRoute = async (db: Queryable, key: RouteKey): Promise<RouteRow | undefined> => {
  const [row] = await db.rows<RouteRow>(sql`
    select ${routeColumns} from supplier_routes
    where product_id = ${key.productId} and supplier_id = ${key.supplierId}`);
  return row;
};

export const upsertRoute = (db: Queryable, route: RouteRow, now: Date) =>
  db.rows(sql`
    insert into supplier_routes (product_id, supplier_id, priority, cost_minor, cost_currency, max_cost_minor, sku,
                                 updated_at)
    values (${route.productId}, ${route.supplierId}, ${route.priority}, ${route.costMinor}, ${route.costCurrency},
            ${route.maxCostMinor}, ${route.sku}, ${now})
    on conflict (product_id, supplier_id) do update
      set priority = excluded.priority, cost_minor = excluded.cost_minor, cost_currency = excluded.cost_currency,
          max_cost_minor = excluded.max_cost_minor, sku = excluded.sku, updated_at = excluded.updated_at`);

export const deleteRoute = async (db: Queryable, key: RouteKey): Promise<RouteRow | undefined> => {
  const [row] = await db.rows<RouteRow>(sql`
    delete from supplier_routes where product_id = ${key.productId} and supplier_id = ${key.supplierId}
    returning ${routeColumns}`);
  return row;
};

export const listRoutedProductIds = async (db: Queryable, supplierId: string): Promise<string[]> => {
  const rows = await db.rows<{ productId: string }>(sql`
    select product_id as "productId" from supplier_routes where supplier_id = ${supplierId} order by product_id`);
  return rows.map(({ productId }) => productId);
};
