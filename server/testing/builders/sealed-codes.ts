import sql from "sql-template-tag";
import type { Queryable } from "../../src/db/database.ts";
import { deliveredPlace, quarantinePlace, stockPlace } from "../../src/vault/code-place.ts";
import type { CodeVault } from "../../src/vault/code-vault.ts";

export type CodeState = "stock" | "expired" | "delivered" | "quarantined";

export type StoredCode = {
  id: string;
  state: CodeState;
  productId: string;
  orderId: string;
  lineIndex: number;
  unitIndex: number;
  sealed: Buffer;
};

/** The place of a stored code, which is needed to open it. */
export function placeOf(code: Omit<StoredCode, "sealed">): string {
  if (code.state === "delivered") return deliveredPlace(code, code.productId);
  if (code.state === "quarantined") return quarantinePlace(code.id, code, code.productId);
  return stockPlace(code.id, code.productId);
}

/** The content of a code from this helper. */
export const textOf = (id: string): string => `{"code":"CODE-${id}"}`;

export const listCodes = (db: Queryable) =>
  db.rows<StoredCode>(sql`
    select id, state, product_id as "productId", order_id as "orderId", line_index as "lineIndex",
           unit_index as "unitIndex", sealed
    from codes where environment = 'live' order by id`);

/** Inserts live codes directly into the table, sealed for their place. Each contains its own id. */
export async function addSealedCodes(
  db: Queryable,
  codeVault: CodeVault,
  input: { prefix: string; count: number; state: CodeState },
): Promise<void> {
  const { prefix, count, state } = input;
  const ids = Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(6, "0")}`);
  const atUnit = state === "delivered" || state === "quarantined";
  const sealed = ids.map((id) => {
    const code = { id, state, productId: "card", orderId: `ord-${id}`, lineIndex: 1, unitIndex: 2 };
    return codeVault.seal(placeOf(code), Buffer.from(textOf(id)));
  });
  await db.rows(sql`
    insert into suppliers (id, kind, name) values ('sup_stock', 'stock', 'Stock') on conflict (id) do nothing`);
  await db.rows(sql`
    insert into codes (id, environment, product_id, supplier_id, state, type, sealed, order_id, line_index, unit_index,
                       delivered_at, quarantine_reason)
    select id, 'live', 'card', 'sup_stock', ${state}, 'code', sealed,
           case when ${atUnit}::boolean then 'ord-' || id end, case when ${atUnit}::boolean then 1 end,
           case when ${atUnit}::boolean then 2 end, case when ${state}::text = 'delivered' then now() end,
           case when ${state}::text = 'quarantined' then 'late' end
    from unnest(${ids}::text[], ${sealed}::bytea[]) as seed (id, sealed)`);
}

/**
 * Assigns stock to a unit as a worker does: locked, opened, sealed for its unit. Returns false if no stock is free.
 */
export async function deliverOne(tx: Queryable, codeVault: CodeVault): Promise<boolean> {
  const [code] = await tx.rows<StoredCode>(sql`
    select id, state, product_id as "productId", sealed from codes where state = 'stock'
    order by random() limit 1 for update skip locked`);
  if (!code) return false;
  const plain = codeVault.open(placeOf(code), code.sealed);
  const unit = { orderId: `ord-${code.id}`, lineIndex: 1, unitIndex: 2 };
  const sealed = codeVault.seal(placeOf({ ...code, ...unit, state: "delivered" }), plain);
  await tx.rows(sql`
    update codes set state = 'delivered', sealed = ${sealed}, order_id = ${unit.orderId}, line_index = 1, unit_index = 2,
                     delivered_at = now()
    where id = ${code.id}`);
  return true;
}
