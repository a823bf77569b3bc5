import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";
import type { RouteRow } from "../route-queries.ts";
import type { SyncProposal } from "./compare-catalog.ts";

export const listSupplierRoutes = (db: Queryable, supplierId: string) =>
  db.rows<RouteRow>(sql`
    select product_id as "productId", supplier_id as "supplierId", priority, cost_minor as "costMinor",
           cost_currency as "costCurrency", max_cost_minor as "maxCostMinor", sku, buy_value as value,
           field_map as "fieldMap"
    from supplier_routes where supplier_id = ${supplierId} order by product_id`);

export type StoredSync = SyncProposal & { proposedAt: Date };

export const storeSync = (db: Queryable, supplierId: string, proposal: SyncProposal, now: Date) =>
  db.rows(sql`
    insert into supplier_syncs (supplier_id, proposed_at, items, unchanged, left_out, odd, odd_count)
    values (${supplierId}, ${now}, ${JSON.stringify(proposal.items)}::jsonb, ${proposal.unchanged},
            ${JSON.stringify(proposal.leftOut)}::jsonb, ${JSON.stringify(proposal.odd)}::jsonb, ${proposal.oddCount})
    on conflict (supplier_id) do update set
      proposed_at = excluded.proposed_at, items = excluded.items, unchanged = excluded.unchanged,
      left_out = excluded.left_out, odd = excluded.odd, odd_count = excluded.odd_count`);

export const findSync = async (db: Queryable, supplierId: string): Promise<StoredSync | undefined> => {
  const [row] = await db.rows<StoredSync>(sql`
    select proposed_at as "proposedAt", items, unchanged, left_out as "leftOut", odd, odd_count as "oddCount"
    from supplier_syncs where supplier_id = ${supplierId}`);
  return row;
};

/** Ids that a new product cannot have: those of products, and those that the proposal of another supplier has. */
export const listTakenIds = async (db: Queryable, supplierId: string): Promise<Set<string>> => {
  const rows = await db.rows<{ id: string }>(sql`
    select id from products
    union all
    select item -> 'product' ->> 'id' from supplier_syncs s cross join jsonb_array_elements(s.items) item
    where s.supplier_id <> ${supplierId} and item ->> 'change' = 'new'`);
  return new Set(rows.map(({ id }) => id));
};

export const listSupplierNames = (db: Queryable) =>
  db.rows<{ name: string }>(sql`select name from suppliers`);

/** Which products the supplier's items became. */
export const listSupplierItems = (db: Queryable, supplierId: string) =>
  db.rows<{ item: string; productId: string }>(sql`
    select item, product_id as "productId" from supplier_items where supplier_id = ${supplierId}`);

export const storeSupplierItems = (
  tx: Tx,
  supplierId: string,
  items: readonly { id: string; productId: string }[],
) =>
  tx.rows(sql`
    insert into supplier_items (supplier_id, item, product_id)
    select ${supplierId}, item, product_id from unnest(
      ${items.map(({ id }) => id)}::text[], ${items.map(({ productId }) => productId)}::text[]
    ) as applied (item, product_id)
    on conflict (supplier_id, item) do update set product_id = excluded.product_id`);

export const deleteRoutes = (tx: Tx, supplierId: string, productIds: readonly string[]) =>
  tx.rows(sql`
    delete from supplier_routes where supplier_id = ${supplierId} and product_id = any(${productIds}::text[])
    returning product_id`);

export const listPresentIds = async (db: Queryable, ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const rows = await db.rows<{ id: string }>(sql`select id from products where id = any(${ids}::text[])`);
  return new Set(rows.map(({ id }) => id));
};
