import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { noSupplier } from "./get-supplier.ts";
import { type SupplierRow, updateEnabled } from "./queries.ts";
import { refreshSupply } from "./refresh-supply.ts";
import { listRoutedProductIds } from "./route-queries.ts";

/** Enables or disables a supplier. Open purchases are still followed to their end. */
export async function setEnabled(db: Db, clock: Clock, id: string, enabled: boolean): Promise<SupplierRow> {
  const row = await updateEnabled(db, id, enabled);
  if (!row) throw noSupplier(id);
  await refreshSupply(db, await listRoutedProductIds(db, id), clock.now());
  return row;
}
