import type { Summary } from "../activity/queries.ts";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Tx } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { formatAmount } from "../lib/money.ts";
import { noSupplier } from "./get-supplier.ts";
import { type Disabling, type DisablingPurchase, type SupplierRow, updateEnabled } from "./queries.ts";
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
  const row = await db.transaction((tx) => changeEnabled(tx, clock, id, enabled ? "enabled" : BY_HAND, by));
  await refreshSupply(db, await listRoutedProductIds(db, id), clock.now());
  return row;
}

const BY_HAND: Disabling = { reason: "by_hand" };

/** Call refreshSupply after the commit. */
export async function changeEnabled(
  tx: Tx,
  clock: Clock,
  id: string,
  to: "enabled" | Disabling,
  by: By | undefined,
): Promise<SupplierRow> {
  const changed = await updateEnabled(tx, id, to === "enabled" ? undefined : to, clock.now());
  if (!changed) throw noSupplier(id);
  if (by)
    await recordActivity(tx, clock, {
      ...by,
      action: to === "enabled" ? "supplier.enabled" : "supplier.disabled",
      object: { kind: "supplier", id },
      ...(to === "enabled" || to.purchase === undefined ? {} : { after: summaryOf(to.reason, to.purchase) }),
    });
  return changed;
}

const summaryOf = (
  reason: string,
  { productId, orderId, expected, charged }: DisablingPurchase,
): Summary => ({
  ...{ reason, product: productId, order: orderId, expected: amountText(expected) },
  ...(charged === null ? {} : { charged: amountText(charged) }),
});

const amountText = ({ amount, currency }: DisablingPurchase["expected"]): string =>
  `${formatAmount(BigInt(amount), currency)} ${currency}`;
