import type { Tx } from "../../db/database.ts";
import { emitEvents } from "../../events/emit-events.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Ids } from "../../lib/ids.ts";
import type { OrderStatus } from "../../orders/status.ts";
import { appendEntry } from "../../wallet/entry.ts";
import { insertEntry, lockWallet, updateWallet } from "../../wallet/queries.ts";
import { orderRefunded } from "../end/order-event.ts";
import { addRefund, EVERY_UNIT, findOwners, type RefundedUnits, refundUnits } from "./refund-queries.ts";

/** Pays back what could not be delivered. The orders are locked; their wallets are locked in the order of their keys. */
export async function refundFailedUnits(
  tx: Tx,
  orderIds: readonly string[],
  ids: Ids,
  now: Date,
): Promise<void> {
  for (const { id, ...tenant } of await findOwners(tx, orderIds)) {
    await payRefund(tx, tenant, await refundUnits(tx, id, "failed", EVERY_UNIT, now), null, ids, now);
  }
}

/**
 * Credits the wallet for units that have just become refunded, with one entry, and counts it in the order; an order all
 * of whose money is back is refunded. Each refund is one event.
 */
export async function payRefund(
  tx: Tx,
  tenant: Tenant,
  { orderId, units, amountMinor }: RefundedUnits,
  note: string | null,
  ids: Ids,
  now: Date,
): Promise<OrderStatus> {
  if (units === 0) throw new Error(`nothing of ${orderId} is left to refund`);
  const head = await lockWallet(tx, tenant);
  if (!head) throw new Error("a reseller without a wallet");
  const next = appendEntry(head, {
    id: ids("ent"),
    type: "refund",
    amountMinor,
    orderId,
    note,
    createdAt: now,
  });
  if (!next) throw new Error(`the wallet cannot hold the refund of ${orderId}`);
  await insertEntry(tx, next.entry);
  await updateWallet(tx, next.head);
  const { status, reference, scenario } = await addRefund(tx, orderId, amountMinor, now);
  const told = status === "refunded" ? "refunded" : "partially_refunded";
  const { resellerId, environment } = tenant;
  const order = { id: orderId, resellerId, environment, reference, scenario };
  await emitEvents(tx, [orderRefunded(order, next.entry.id, told)], ids, now);
  return status;
}
