import { createHash, randomBytes } from "node:crypto";
import sql from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";
import { addProducts } from "./builders.ts";
import { newId } from "./new-id.ts";

/** Products without any supply. */
export async function addUnsuppliedProducts(db: Queryable, ids: readonly string[]): Promise<void> {
  await addProducts(
    db,
    ids.map((id) => ({ id })),
  );
  await db.rows(sql`delete from product_supply where product_id = any(${ids}::text[])`);
}

/** Inserts a supplier directly into the table. The config of a remote one cannot be opened. */
export async function addSupplierRow(
  db: Queryable,
  supplier: { kind?: string; name?: string; enabled?: boolean; resendAfterMs?: number } = {},
): Promise<string> {
  const id = newId("sup");
  const { kind = "stock", name = id, enabled = true } = supplier;
  const config = kind === "stock" ? null : Buffer.from("not a sealed config");
  await db.rows(sql`
    insert into suppliers (id, kind, name, sealed_config, enabled, resend_after_ms)
    values (${id}, ${kind}, ${name}, ${config}, ${enabled}, ${supplier.resendAfterMs ?? null})`);
  return id;
}

export const addRouteRow = (
  db: Queryable,
  route: { productId: string; supplierId: string; priority?: number; costMinor?: bigint; currency?: string },
) =>
  db.rows(sql`
    insert into supplier_routes (product_id, supplier_id, priority, cost_minor, cost_currency, sku)
    values (${route.productId}, ${route.supplierId}, ${route.priority ?? 100}, ${route.costMinor ?? null},
            ${route.costMinor === undefined ? null : (route.currency ?? "USD")}, ${route.productId})`);

/** A code in stock with an empty seal, for tests that only count. */
export async function addStockRow(
  db: Queryable,
  code: { productId: string; supplierId: string; expiresAt?: Date; state?: "stock" | "expired" },
): Promise<string> {
  const id = newId("cod");
  await db.rows(sql`
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, digest, expires_at)
    values (${id}, 'live', ${code.productId}, ${code.supplierId}, ${code.state ?? "stock"}, 'code', ${randomBytes(32)},
            ${createHash("sha256").update(id).digest()}, ${code.expiresAt ?? null})`);
  return id;
}
