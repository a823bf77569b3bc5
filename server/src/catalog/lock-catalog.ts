import sql from "sql-template-tag";
import type { Tx } from "../db/database.ts";

/**
 * Makes writers of products and list prices take turns. Each of them raises the revision through a trigger, after it
 * has locked its rows; two that met the other way round would deadlock. Whoever changes more than one row, or one row
 * while an import may run, comes here first.
 */
export async function lockCatalog(tx: Tx): Promise<void> {
  await tx.rows(sql`select revision from catalog_state for update`);
}
