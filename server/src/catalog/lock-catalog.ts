import sql from "sql-template-tag";
import type { Tx } from "../db/database.ts";

/**
 * Serializes writers of products and list prices. Each write raises the revision through a trigger after it has
 * locked its rows, so two writers in opposite order would deadlock. Take this lock before changing several rows, or
 * one row while an import may be running.
 */
export async function lockCatalog(tx: Tx): Promise<void> {
  await tx.rows(sql`select revision from catalog_state for update`);
}
