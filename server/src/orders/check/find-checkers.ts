import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { FieldMap } from "../../suppliers/calls/map-fields.ts";
import { findKind } from "../../suppliers/registry.ts";

/** A supplier that can tell whether the account of a top-up exists, and its id of the product. */
export type AccountChecker = { supplierId: string; sku: string; fieldMap: FieldMap | null };

/** The suppliers that would be asked for a product, in the order of its routes. None that is disabled or is failing. */
export async function findCheckers(db: Queryable, productId: string, now: Date): Promise<AccountChecker[]> {
  const rows = await db.rows<AccountChecker & { kind: string }>(
    sql`
      select r.supplier_id as "supplierId", r.sku, r.field_map as "fieldMap", s.kind
      from supplier_routes r join suppliers s on s.id = r.supplier_id
      where r.product_id = ${productId} and r.paused_at is null and s.enabled and coalesce(s.open_until <= ${now}, true)
      order by r.priority, r.supplier_id`,
    { name: "find-checkers" },
  );
  return rows
    .filter(({ kind }) => findKind(kind)?.canCheckAccount)
    .map(({ supplierId, sku, fieldMap }) => ({ supplierId, sku, fieldMap }));
}
