import type { Tx } from "../../db/database.ts";
import { emitEvents } from "../../events/emit-events.ts";
import type { Ids } from "../../lib/ids.ts";
import type { CodeVault } from "../../vault/code-vault.ts";
import { refundFailedUnits } from "../refund/refund-units.ts";
import { takeBackCodes } from "../refund/take-back-codes.ts";
import { sealHeldBack } from "../sealing/seal-held-back.ts";
import type { EndedUnits } from "../settle/settle-queries.ts";
import {
  deleteWork,
  lowerOpenUnits,
  markCompleted,
  markFailed,
  type OrderEnd,
  readEnds,
  returnOrders,
} from "./end-queries.ts";
import { orderFulfilled } from "./order-event.ts";

/**
 * Moves orders whose units have just been settled along CONTRACT 4, within the same transaction: completed (with the
 * refund of what could not be delivered), failed, refunded; or back into the queue until its next unit is due.
 */
export async function endOrders(
  tx: Tx,
  codeVault: CodeVault,
  orderIds: readonly string[],
  ended: readonly EndedUnits[],
  ids: Ids,
  now: Date,
): Promise<EndedOrders> {
  const unitsEnded = new Map(ended.map((one) => [one.orderId, one.units]));
  const ends = await readEnds(tx, orderIds);
  const endings = ends.map((end) => ({ id: end.id, ending: endingOf(end, unitsEnded.get(end.id) ?? 0) }));
  const those = (...wanted: Ending[]) =>
    endings.filter(({ ending }) => wanted.includes(ending)).map(({ id }) => id);

  const failed = those("failed", "failed-and-held");
  const incomplete = ends.filter(({ id, delivered }) => delivered > 0n && failed.includes(id));
  const stockReturned =
    incomplete.length === 0
      ? []
      : await takeBackCodes(
          tx,
          codeVault,
          incomplete.map(({ id }) => id),
          now,
        );
  const goOn = new Set(those("open"));
  const lowered = ended.filter(({ orderId }) => goOn.has(orderId));
  if (lowered.length > 0) await lowerOpenUnits(tx, lowered, now);
  const completed = those("completed", "completed-in-part");
  const told = ends.filter(({ id }) => completed.includes(id));
  await emitEvents(tx, told.map(orderFulfilled), ids, now);
  const toRefund = those("completed-in-part", "refunded");
  if (toRefund.length > 0) await refundFailedUnits(tx, toRefund, ids, now);
  if (completed.length > 0) await markCompleted(tx, completed, now);
  const heldBack = told.filter(({ allOrNothing }) => allOrNothing).map(({ id }) => id);
  if (heldBack.length > 0) await sealHeldBack(tx, codeVault, heldBack);
  if (failed.length > 0) await markFailed(tx, failed, now);
  const finished = those("refunded", "failed-and-held");
  if (finished.length > 0) await deleteWork(tx, finished);
  const returned = those("open", "failed");
  if (returned.length > 0) await returnOrders(tx, returned, now);
  return { endings, stockReturned };
}

export type EndedOrders = {
  endings: OrderEnding[];
  /** Products of which codes went back into stock. */
  stockReturned: string[];
};
export type OrderEnding = { id: string; ending: Ending };

type Ending = "open" | "completed" | "completed-in-part" | "failed" | "failed-and-held" | "refunded";

function endingOf(end: OrderEnd, ended: number): Ending {
  const { status, refundHeld, openUnits, delivered, owed } = end;
  if (status === "failed") return refundHeld ? "failed-and-held" : "refunded";
  if (openUnits > ended) return "open";
  if (delivered === 0n || isIncomplete(end)) return refundHeld ? "failed-and-held" : "failed";
  if (owed === 0n) return "completed";
  return refundHeld ? "open" : "completed-in-part";
}

/** It is all or nothing, and part of it was not delivered. */
export const isIncomplete = ({ allOrNothing, delivered, units }: OrderEnd): boolean =>
  allOrNothing && delivered < units;
