import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { deleteWork } from "../end/end-queries.ts";
import { COMMAND, noteOf, type Operator, recordOrderAction } from "./operator.ts";
import { confirmNotFound, lockOrder, makeDue, makeUnitsDue, setRefundHeld } from "./operator-queries.ts";

export type OperatedResult = { orderId: string; status: string; refundHeld: boolean };

/**
 * Holds the refund of an order until it is released: if the order fails, it stays failed. Units that can still be delivered
 * are delivered.
 */
export const holdOrder = (
  db: Db,
  clock: Clock,
  orderId: string,
  held: boolean,
  by: Operator = COMMAND,
): Promise<OperatedResult> =>
  db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) throw new RangeError(`there is no order ${orderId}`);
    if (order.status === "completed" || order.status === "refunded")
      throw new RangeError(`${orderId} is ${order.status}: it has no refund to hold`);
    const isChange = order.refundHeld !== held;
    if (!isChange && by.isFirst)
      throw new RangeError(`the refund of ${orderId} ${held ? "is on hold already" : "is not on hold"}`);
    const now = clock.now();
    await setRefundHeld(tx, orderId, held, now);
    if (!held) await makeDue(tx, orderId, now);
    else if (order.status === "failed") await deleteWork(tx, [orderId]);
    if (isChange)
      await recordOrderAction(tx, clock, order, by, {
        action: held ? "order.held" : "order.released",
        after: noteOf(by),
      });
    return { orderId, status: order.status, refundHeld: held };
  });

/**
 * Makes an order due now: calls its suppliers again and retries what it can. A purchase that waits for a person counts as not made if it
 * is still not found.
 */
export const retryOrder = (
  db: Db,
  clock: Clock,
  orderId: string,
  by: Operator = COMMAND,
): Promise<OperatedResult> =>
  db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) throw new RangeError(`there is no order ${orderId}`);
    if (order.status === "failed" && order.refundHeld)
      throw new RangeError(
        `every unit of ${orderId} has definitively failed and its refund is on hold: pay it with "scrip order refund ${orderId} --reason …", or release it with "scrip order hold ${orderId} --release"`,
      );
    if (order.status === "completed" || order.status === "refunded")
      throw new RangeError(`${orderId} is ${order.status}: there is nothing to retry`);
    const now = clock.now();
    await confirmNotFound(tx, orderId);
    await makeUnitsDue(tx, orderId, now);
    await makeDue(tx, orderId, now);
    await recordOrderAction(tx, clock, order, by, { action: "order.retried", after: noteOf(by) });
    return { orderId, status: order.status, refundHeld: order.refundHeld };
  });
