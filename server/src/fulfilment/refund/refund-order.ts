import type { Db, Tx } from "../../db/database.ts";
import { emitEvents } from "../../events/emit-events.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Ids, idsOf } from "../../lib/ids.ts";
import { formatAmount } from "../../lib/money.ts";
import { isIncomplete } from "../end/end-orders.ts";
import { deleteWork, markCompleted, markFailed, readEnds } from "../end/end-queries.ts";
import { orderFulfilled } from "../end/order-event.ts";
import { COMMAND, checkReason, type Operator, recordOrderAction } from "../operate/operator.ts";
import {
  beginOrder,
  giveUpWaitingUnits,
  listLineIndexes,
  lockOrder,
  makeDue,
  type OperatedOrder,
} from "../operate/operator-queries.ts";
import type { UnitChoice, UnitRef } from "../operate/unit-choice.ts";
import { writeOffUnits } from "../operate/written-off-queries.ts";
import { type RefundedUnits, refundUnits } from "./refund-queries.ts";
import { payRefund } from "./refund-units.ts";

export type RefundInput = {
  orderId: string;
  /** Only these lines; undefined for the whole order. */
  lines: readonly number[] | undefined;
  /** Only these units; undefined for all. */
  units?: readonly UnitRef[] | undefined;
  /** All units when it is absent. */
  which?: UnitChoice["which"] | undefined;
  /** What the person was told. If it would be something else by now, nothing happens. */
  expected?: { units: number; amountMinor: bigint } | undefined;
  reason: string;
};
export type RefundedOrder = {
  orderId: string;
  status: string;
  refundedUnits: number;
  amountMinor: bigint;
  currency: string;
};

/**
 * The operator refunds an order. Delivered units are refunded once the order is completed, and their codes stay readable.
 * Other units are given up, and their unknown purchases are written off: a code that still arrives goes to quarantine and never
 * to the reseller, who has the money.
 */
export async function refundOrder(
  db: Db,
  clock: Clock,
  input: RefundInput,
  by: Operator = COMMAND,
): Promise<RefundedOrder> {
  checkReason(input.which === "unknown" ? "a write-off" : "a refund", input.reason);
  return db.transaction(async (tx) => {
    const now = clock.now();
    const order = await lockOrder(tx, input.orderId);
    if (!order) throw new RangeError(`there is no order ${input.orderId}`);
    const choice = {
      lines: await chosenLines(tx, input),
      units: input.units ?? null,
      which: input.which ?? "all",
    };
    const refunded = await refundChosen(tx, order, choice, now);
    if (refunded.units === 0) throw new RangeError(nothingToRefund(order, choice));
    checkExpected(refunded, order, input.expected);
    const paid = await pay(tx, order, refunded, input.reason, idsOf(clock), now);
    await recordOrderAction(tx, clock, order, by, {
      action: ACTIONS[choice.which],
      after: {
        reason: input.reason,
        units: refunded.units,
        amount: `${formatAmount(refunded.amountMinor, order.currency)} ${order.currency}`,
      },
    });
    return paid;
  });
}

const ACTIONS: Readonly<Record<UnitChoice["which"], `order.${string}`>> = {
  all: "order.refunded",
  not_bought: "order.refunded",
  unknown: "order.written_off",
  reversed: "order.charged_back",
};

function checkExpected(
  { orderId, units, amountMinor }: RefundedUnits,
  { currency }: OperatedOrder,
  expected: RefundInput["expected"],
): void {
  if (!expected || (expected.units === units && expected.amountMinor === amountMinor)) return;
  throw new RangeError(
    `${orderId} has changed: this would now pay back ${formatAmount(amountMinor, currency)} ${currency} for ${units} ${units === 1 ? "unit" : "units"}, not ${formatAmount(expected.amountMinor, currency)} ${currency} for ${expected.units}`,
  );
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
  choice: UnitChoice,
  now: Date,
): Promise<RefundedUnits> {
  if (order.status === "completed") return refundUnits(tx, order.id, "delivered", choice, now);
  // What was delivered is refunded after completion alone.
  if (choice.which === "reversed") return { orderId: order.id, units: 0, amountMinor: 0n };
  if (order.status === "pending") await beginOrder(tx, order.id, now);
  if (order.status === "pending" || order.status === "processing") {
    await writeOffUnits(tx, order.id, choice, now);
    await giveUpWaitingUnits(tx, order.id, choice, now);
  }
  return refundUnits(tx, order.id, "failed", choice, now);
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

function nothingToRefund({ id, status }: OperatedOrder, { lines, units, which }: UnitChoice): string {
  if (status === "refunded") return `${id} has been refunded already`;
  if (which === "unknown") return `${id} has no purchase whose outcome is unknown`;
  if (which === "reversed" && status !== "completed")
    return `${id} is ${status}: a unit that its supplier took back can be charged back once the order is completed`;
  if (which === "reversed")
    return `${id} has no unit that its supplier took back and that waits for a decision`;
  const part = units === null ? (lines === null ? "" : "of these lines ") : "of these units ";
  return `nothing ${part}of ${id} can be refunded: it is ${status}, and what is not delivered has been paid back`;
}
