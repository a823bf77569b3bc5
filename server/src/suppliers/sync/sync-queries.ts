import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { RouteRow } from "../route-queries.ts";
import type { SyncItem } from "./compare-catalog.ts";

export const listSupplierRoutes = (db: Queryable, supplierId: string) =>
  db.rows<RouteRow>(sql`
    select product_id as "productId", supplier_id as "supplierId", priority, cost_minor as "costMinor",
           cost_currency as "costCurrency", max_cost_minor as "maxCostMinor", sku, buy_value as value,
           field_map as "fieldMap"
    from supplier_routes where supplier_id = ${supplierId} order by product_id`);

export const storeSync = (db: Queryable, supplierId: string, items: readonly SyncItem[], now: Date) =>
  db.rows(sql`
    insert into supplier_syncs (supplier_id, proposed_at, items)
    values (${supplierId}, ${now}, ${JSON.stringify(items)}::jsonb)
    on conflict (supplier_id) do update set proposed_at = excluded.proposed_at, items = excluded.items`);

export const findSync = async (
  db: Queryable,
  supplierId: string,
): Promise<{ proposedAt: Date; items: SyncItem[] } | undefined> => {
  const [row] = await db.rows<{ proposedAt: Date; items: SyncItem[] }>(sql`
    select proposed_at as "proposedAt", items from supplier_syncs where supplier_id = ${supplierId}`);
  return row;
};

export const deleteRoutes = (tx: Tx, supplierId: string, productIds: readonly string[]) =>
  tx.rows(sql`
    delete from supplier_routes where supplier_id = ${supplierId} and product_id = any(${productIds}::text[])
    returning product_id`);

export const listPresentIds = async (db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await db.rows<{ id: string }>(sql`select id from products where id = any(${ids}::text[])`);
  return new Set(rows.map(({ id }) => id));
};
