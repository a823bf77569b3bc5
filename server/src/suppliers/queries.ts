import sql, { type Sql } from "sql-template-tag";
import type { Queryable, Tx } from "../db/database.ts";

export type SupplierRow = {
  id: string;
  /** A name from the registry, possibly one that only a newer version knows. */
  kind: string;
  /** Whether it sells from the operator's own stock. All others are called. */
  hasOwnStock: boolean;
  name: string;
  enabled: boolean;
  ratePerSecond: number;
  createdAt: Date;
};

const supplierColumns = sql`
  id, kind, has_own_stock as "hasOwnStock", name, enabled, rate_per_second as "ratePerSecond", created_at as "createdAt"`;

export type NewSupplier = Omit<SupplierRow, "enabled" | "hasOwnStock"> & { sealedConfig: Buffer | null };

/** Returns no row when the name is taken. */
export const insertSupplier = async (
  db: Queryable,
  supplier: NewSupplier,
): Promise<SupplierRow | undefined> => {
  const [row] = await db.rows<SupplierRow>(sql`
    insert into suppliers (id, kind, name, sealed_config, rate_per_second, created_at)
    values (${supplier.id}, ${supplier.kind}, ${supplier.name}, ${supplier.sealedConfig}, ${supplier.ratePerSecond},
            ${supplier.createdAt})
    on conflict (name) do nothing
    returning ${supplierColumns}`);
  return row;
};

export const findSupplier = async (db: Queryable, id: string): Promise<SupplierRow | undefined> => {
  const [row] = await db.rows<SupplierRow>(sql`select ${supplierColumns} from suppliers where id = ${id}`);
  return row;
};

export type DisablingReason =
  | "by_hand"
  | "other_currency"
  | "unreadable_price"
  | "large_overcharge"
  | "repeated_overcharges";

/** The purchase whose price disabled a supplier, in minor units. */
export type DisablingPurchase = {
  productId: string;
  orderId: string;
  lineIndex: number;
  unitIndex: number;
  attempt: number;
  expected: { amount: number; currency: string };
  /** Null where it could not be read. */
  charged: { amount: number; currency: string } | null;
};

export type Disabling = { reason: DisablingReason; purchase?: DisablingPurchase };

/** Enables without a disabling. Then overcharges are counted from the start. */
export const updateEnabled = async (
  db: Queryable,
  id: string,
  disabling: Disabling | undefined,
  now: Date,
): Promise<SupplierRow | undefined> => {
  const [row] = await db.rows<SupplierRow>(sql`
    update suppliers
    set enabled = ${disabling === undefined}, disabled_at = ${disabling ? now : null},
        disabled_reason = ${disabling?.reason ?? null},
        disabled_purchase = ${disabling?.purchase ? JSON.stringify(disabling.purchase) : null}::jsonb,
        overcharged_at = case when ${disabling === undefined} then '{}' else overcharged_at end
    where id = ${id} returning ${supplierColumns}`);
  return row;
};

export type SupplierChange = {
  name: string | undefined;
  ratePerSecond: number | undefined;
  sealedConfig: Buffer | undefined;
};

/** Undefined fields stay unchanged. */
export const updateSupplier = async (
  db: Queryable,
  id: string,
  change: SupplierChange,
): Promise<SupplierRow | undefined> => {
  const [row] = await db.rows<SupplierRow>(sql`
    update suppliers set
      name = coalesce(${change.name ?? null}, name),
      rate_per_second = coalesce(${change.ratePerSecond ?? null}, rate_per_second),
      sealed_config = coalesce(${change.sealedConfig ?? null}, sealed_config)
    where id = ${id}
    returning ${supplierColumns}`);
  return row;
};

/** Purchases are opened under the same lock: see `reserveCalls`. */
export const lockSupplierConfig = async (tx: Tx, id: string) => {
  const [row] = await tx.rows<{ sealedConfig: Buffer; enabled: boolean }>(sql`
    select sealed_config as "sealedConfig", enabled from suppliers where id = ${id} for no key update`);
  return row;
};

export async function countOpenPurchases(tx: Tx, id: string): Promise<number> {
  const [row] = await tx.rows<{ count: number }>(sql`
    select count(*)::integer as count from supplier_attempts where supplier_id = ${id} and status = 'open'`);
  return row?.count ?? 0;
}

export const findSupplierByName = async (db: Queryable, name: string): Promise<SupplierRow | undefined> => {
  const [row] = await db.rows<SupplierRow>(
    sql`select ${supplierColumns} from suppliers where name = ${name}`,
  );
  return row;
};

export type ListedSupplierRow = SupplierRow & {
  routes: number;
  /** Codes that can be sold now; null for a supplier that is called. */
  stockLevel: number | null;
  consecutiveFailures: number;
  openUntil: Date | null;
};

export const listSupplierRows = (db: Queryable, now: Date) =>
  db.rows<ListedSupplierRow>(sql`
    select ${supplierColumns}, consecutive_failures as "consecutiveFailures", open_until as "openUntil",
           (select count(*) from supplier_routes r where r.supplier_id = s.id)::integer as routes,
           case when has_own_stock then coalesce(stocked.level, 0) end as "stockLevel"
    from suppliers s
    left join (
      select c.supplier_id, count(*)::integer as level from codes c
      where c.state = 'stock' and (c.expires_at is null or c.expires_at > ${now})
      group by c.supplier_id
    ) stocked on stocked.supplier_id = s.id
    order by s.id`);

/** For a choice of suppliers. */
export const listSupplierNames = (db: Queryable) =>
  db.rows<{ id: string; name: string }>(sql`select id, name from suppliers order by name`);

const NAMES_MAX = 2_000;

/** What suppliers are called, for pages that know their ids. */
export const nameSuppliers = async (db: Queryable): Promise<ReadonlyMap<string, string>> => {
  const rows = await db.rows<{ id: string; name: string }>(
    sql`select id, name from suppliers order by id limit ${NAMES_MAX}`,
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
};

export type SupplierBreaker = { consecutiveFailures: number; openUntil: Date | null };

export const findBreaker = async (db: Queryable, id: string): Promise<SupplierBreaker | undefined> => {
  const [row] = await db.rows<SupplierBreaker>(sql`
    select consecutive_failures as "consecutiveFailures", open_until as "openUntil" from suppliers where id = ${id}`);
  return row;
};

/** The stock suppliers of a product, or all of them. Two rows are enough to know that there are several. */
export const listStockSupplierIds = async (db: Queryable, productId?: string): Promise<string[]> => {
  const routed: Sql =
    productId === undefined
      ? sql`true`
      : sql`exists (select from supplier_routes r where r.supplier_id = s.id and r.product_id = ${productId})`;
  const rows = await db.rows<{ id: string }>(
    sql`select s.id from suppliers s where s.has_own_stock and ${routed} order by s.id limit 2`,
  );
  return rows.map(({ id }) => id);
};

/** The currency that a product is sold in, or undefined for an unknown product. */
export const findProductCurrency = async (db: Queryable, id: string): Promise<string | undefined> => {
  const [row] = await db.rows<{ currency: string }>(
    sql`select face_value_currency as currency from products where id = ${id}`,
  );
  return row?.currency;
};
