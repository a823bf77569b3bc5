import type { ShownAttempt } from "../../../fulfilment/operate/show-fulfilment.ts";
import { CLASS_WORDS, lookText, sendText } from "../../../fulfilment/operate/what-was-said.ts";
import type { Actor } from "../../../lib/actor.ts";
import type { OrderView } from "../../../orders/schemas.ts";
import { fields } from "../../output/fields.ts";
import { showMoney, showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { paint } from "../../output/terminal.ts";
import { statusCell } from "./order-list-command.ts";

export type ShownOrder = {
  resellerId: string;
  env: string;
  idempotencyKey: string;
  placedBy: Actor;
  order: OrderView;
  refundHeld: boolean;
  testScenario?: string;
  attempts: readonly ShownAttempt[];
};

/** The text of `scrip order show`: the order, its lines and its purchases. */
export function orderPage(shown: ShownOrder): string {
  const { order } = shown;
  const head = fields([
    ["Order", order.id],
    ["Status", statusCell(order.status)],
    ["Reseller", shown.resellerId],
    ["Environment", shown.env],
    ["Total", showMoney(order.total.amount, order.total.currency)],
    ["Refunded", refundedText(shown)],
    ["Placed", `${showTime(order.createdAt)} UTC`],
    ["Placed by", `${shown.placedBy.kind} ${shown.placedBy.id}`],
    ["Changed", `${showTime(order.updatedAt)} UTC`],
    ["Reference", order.reference],
    ["Idempotency key", shown.idempotencyKey],
    ["Test scenario", shown.testScenario],
  ]);
  const purchases = shown.attempts.length === 0 ? [] : [section("Purchases"), attemptTable(shown.attempts)];
  return [head, section("Lines"), lineTable(order), ...purchases].join("\n");
}

const section = (title: string): string => `\n${paint("bold", title)}`;

function refundedText({ order, refundHeld }: ShownOrder): string | undefined {
  const amount = showMoney(order.refundedTotal.amount, order.refundedTotal.currency);
  if (refundHeld) return `${amount}; the refund is on hold`;
  return order.refundedTotal.amount === 0 ? undefined : amount;
}

const lineTable = ({ lines }: OrderView): string =>
  table(
    [
      { heading: "LINE", right: true },
      "PRODUCT",
      { heading: "QTY", right: true },
      { heading: "DELIVERED", right: true },
      { heading: "REFUNDED", right: true },
      { heading: "TOTAL", right: true },
      { heading: "WHY", cut: true, optional: true },
      { heading: "NAME", cut: true, optional: true },
      { heading: "INPUT", cut: true, optional: true },
    ],
    lines.map((line, index) => [
      String(index),
      line.productId,
      String(line.quantity),
      String(line.fulfilledQuantity),
      String(line.refundedQuantity),
      showMoney(line.lineTotal.amount, line.lineTotal.currency),
      line.failureCode ?? "",
      line.name,
      Object.entries(line.inputFields ?? {})
        .map(([key, value]) => `${key}=${value}`)
        .join(" "),
    ]),
  );

const saidText = (attempt: ShownAttempt): string =>
  [attempt.said && CLASS_WORDS[attempt.said], lookText(attempt) ?? sendText(attempt)]
    .filter((text) => text !== undefined)
    .join(": ");

const attemptTable = (attempts: readonly ShownAttempt[]): string =>
  table(
    [
      { heading: "LINE", right: true },
      { heading: "UNIT", right: true },
      "STATUS",
      "SUPPLIER",
      "STARTED (UTC)",
      { heading: "WHY", cut: true, optional: true },
      { heading: "SUPPLIER SAID", cut: true, optional: true },
      { heading: "TRANSACTION", optional: true },
      { heading: "SENT", right: true, optional: true },
      { heading: "LOOK-UPS", right: true, optional: true },
      { heading: "REFERENCE", optional: true },
    ],
    attempts.map((attempt) => [
      String(attempt.lineIndex),
      String(attempt.unitIndex),
      attempt.writtenOffAt !== null && attempt.status === "open"
        ? "written off"
        : attempt.status.replace("_", " "),
      attempt.supplierId,
      showTime(attempt.openedAt),
      attempt.failureCode ?? "",
      saidText(attempt),
      attempt.upstreamId ?? "",
      String(attempt.sends),
      String(attempt.looks),
      attempt.reference,
    ]),
  );
