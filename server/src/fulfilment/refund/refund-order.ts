import type { Db, Tx } from "../../db/database.ts";
import { emitEvents } from "../../events/emit-events.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Ids, idsOf } from "../../lib/ids.ts";
import { assertPlainText } from "../../lib/plain-text.ts";
import { isIncomplete } from "../end/end-orders.ts";
import { deleteWork, markCompleted, markFailed, readEnds } from "../end/end-queries.ts";
import { orderFulfilled } from "../end/order-event.ts";
import {
  beginOrder,
  giveUpWaitingUnits,
  listLineIndexes,
  lockOrder,
  makeDue,
  type OperatedOrder,
} from "../operate/operator-queries.ts";
import { writeOffUnits } from "../operate/written-off-queries.ts";
import { type RefundedUnits, refundUnits } from "./refund-queries.ts";
import { payRefund } from "./refund-units.ts";

export type RefundInput = {
  orderId: string;
  /** Only these lines; undefined for the whole order. */
  lines: readonly number[] | undefined;
  reason: string;
};
export type RefundedOrder = {
  orderId: string;
  status: string;
  refundedUnits: number;
  amountMinor: bigint;
  currency: string;
};

const REASON_MAX_CHARACTERS = 500;

/**
 * The operator refunds an order. Delivered units are refunded once the order is completed, and their codes stay readable.
 * Other units are given up, and their unknown purchases are written off: a code that still arrives goes to quarantine and never
 * to the reseller, who has the money.
 */
export async function refundOrder(db: Db, clock: Clock, input: RefundInput): Promise<RefundedOrder> {
  if (input.reason.trim() === "") throw new RangeError("a refund needs a reason");
  if ([...input.reason].length > REASON_MAX_CHARACTERS)
    throw new RangeError(`a reason has at most ${REASON_MAX_CHARACTERS} characters`);
  assertPlainText("a reason", input.reason);
  return db.transaction(async (tx) => {
    const now = clock.now();
    const order = await lockOrder(tx, input.orderId);
    if (!order) throw new RangeError(`there is no order ${input.orderId}`);
    const lines = await chosenLines(tx, input);
    const refunded = await refundChosen(tx, order, lines, now);
    if (refunded.units === 0) throw new RangeError(nothingToRefund(order, lines !== null));
    return pay(tx, order, refunded, input.reason, idsOf(clock), now);
  });
}

async function chosenLines(tx: Tx, { orderId, lines }: RefundInput): Promise<readonly number[] | null> {
  if (lines === undefined) return null;
  const known = await listLineIndexes(tx, orderId);
  const unknown = lines.find((line) => !known.includes(line));
  if (unknown !== undefined) {
    throw new RangeError(`${orderId} has no line ${unknown}; its lines are ${known.join(", ")}`);
  }
  return lines;
}

async function refundChosen(
  tx: Tx,
  order: OperatedOrder,
  lines: readonly number[] | null,
  now: Date,
): Promise<RefundedUnits> {
  const choice = { orderId: order.id, lines };
  if (order.status === "completed") return refundUnits(tx, { ...choice, status: "delivered" });
  if (order.status === "pending") await beginOrder(tx, order.id, now);
  if (order.status === "pending" || order.status === "processing") {
    await writeOffUnits(tx, { ...choice, now });
    await giveUpWaitingUnits(tx, { id: order.id, lines, now });
  }
  return refundUnits(tx, { ...choice, status: "failed" });
}

/** Moves the order along CONTRACT 4 to match its units. Money and status change together. */
async function pay(
  tx: Tx,
  order: OperatedOrder,
  refunded: RefundedUnits,
  reason: string,
  ids: Ids,
  now: Date,
): Promise<RefundedOrder> {
  const [end] = await readEnds(tx, [order.id]);
  if (!end) throw new Error("a locked order is gone");
  const isOpen = end.status === "processing";
  const isSettled = isOpen && end.openUnits === 0 && end.owed === 0n;
  // The delivered part of an all-or-nothing order follows: a worker takes it back and refunds the rest.
  const isBroken = isSettled && end.delivered > 0n && isIncomplete(end);
  // A full refund passes through failed if nothing was delivered.
  if (isSettled && end.delivered === 0n) await markFailed(tx, [order.id], now);
  const status = await payRefund(tx, order, refunded, reason, ids, now);
  if (isBroken) await makeDue(tx, order.id, now);
  else if (isSettled && end.delivered > 0n) {
    await emitEvents(tx, [orderFulfilled(end)], ids, now);
    await markCompleted(tx, [order.id], now);
  }
  if (status === "refunded") await deleteWork(tx, [order.id]);
  // Units of other lines have failed too and nothing is left to wait for: a worker ends the order.
  else if (isOpen && end.openUnits === 0 && !isSettled) await makeDue(tx, order.id, now);
  return {
    orderId: order.id,
    status: isSettled && end.delivered > 0n && !isBroken ? "completed" : status,
    refundedUnits: refunded.units,
    amountMinor: refunded.amountMinor,
    currency: order.currency,
  };
}

function nothingToRefund({ id, status }: OperatedOrder, isPart: boolean): string {
  if (status === "refunded") return `${id} has been refunded already`;
  return `nothing ${isPart ? "of these lines " : ""}of ${id} can be refunded: it is ${status}, and what is not delivered has been paid back`;
}
