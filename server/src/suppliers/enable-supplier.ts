import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { noSupplier } from "./get-supplier.ts";
import { type SupplierRow, updateEnabled } from "./queries.ts";
import { refreshSupply } from "./refresh-supply.ts";
import { listRoutedProductIds } from "./route-queries.ts";

/** Enables or disables a supplier. Open purchases are still followed to their end. Who did it is recorded where it is known. */
export async function setEnabled(
  db: Db,
  clock: Clock,
  id: string,
  enabled: boolean,
  by?: By,
): Promise<SupplierRow> {
  const row = await db.transaction(async (tx) => {
    const changed = await updateEnabled(tx, id, enabled);
    if (!changed) throw noSupplier(id);
    const action = enabled ? "supplier.enabled" : "supplier.disabled";
    if (by) await recordActivity(tx, clock, { ...by, action, object: { kind: "supplier", id } });
    return changed;
  });
  await refreshSupply(db, await listRoutedProductIds(db, id), clock.now());
  return row;
}
