import type { Command } from "commander";
import { holdOrder, retryOrder } from "../../../fulfilment/operate/hold-order.ts";
import { showFulfilment } from "../../../fulfilment/operate/show-fulfilment.ts";
import { refundOrder } from "../../../fulfilment/refund/refund-order.ts";
import { toMoney } from "../../../lib/money.ts";
import { toOrderView } from "../../../orders/order-view.ts";
import { findAnyOrder } from "../../../orders/queries.ts";
import { showMoney } from "../../output/format.ts";
import { required, text, verb } from "../../verb.ts";
import { orderListCommand } from "./order-list-command.ts";
import { linesOf, operatorOf, unitsOf } from "./order-options.ts";
import { orderPage } from "./order-page.ts";
import { orderPurchaseCommands } from "./order-purchase-commands.ts";

export function orderCommands(program: Command): void {
  const order = program.command("order").description("orders of all resellers");
  orderListCommand(order);
  showCommand(order);
  refundCommand(order);
  orderPurchaseCommands(order);

  verb(
    order
      .command("retry")
      .description("process an order now: ask its suppliers again and retry its units")
      .argument("<id>")
      .option("--reason <text>", "the reason, for the activity log"),
    ({ db, clock }, options, [id = ""]) => retryOrder(db, clock, id, operatorOf(options)),
    ({ orderId, status }) => `${orderId} is ${status} and will be processed now`,
  );
  verb(
    order
      .command("hold")
      .description("hold an order's refund: if every unit fails, the order stays failed")
      .argument("<id>")
      .option("--release", "continue the refund")
      .option("--reason <text>", "the reason, for the activity log"),
    ({ db, clock }, options, [id = ""]) =>
      holdOrder(db, clock, id, options.release !== true, operatorOf(options)),
    ({ orderId, status, refundHeld }) =>
      `${orderId} is ${status}; its refund ${refundHeld ? "is on hold" : "is not on hold"}`,
  );
}

function showCommand(order: Command): void {
  verb(
    order.command("show").description("show an order of any reseller, with its purchases").argument("<id>"),
    async ({ db }, _options, [id = ""]) => {
      const row = await findAnyOrder(db, id);
      if (!row) throw new RangeError(`there is no order ${id}`);
      const { resellerId, environment, idempotencyKey, placedBy } = row;
      const fulfilment = await showFulfilment(db, id);
      return {
        resellerId,
        env: environment,
        idempotencyKey,
        placedBy,
        order: toOrderView(row),
        ...fulfilment,
      };
    },
    orderPage,
  );
}

function refundCommand(order: Command): void {
  verb(
    order
      .command("refund")
      .description(
        "refund an order: the delivered units of a completed order, the undelivered units of any other; a purchase with an unknown outcome is written off",
      )
      .argument("<id>")
      .option("--lines <indexes>", "only these lines, from 0, such as 0,2")
      .option("--units <units>", "only these units, as line.unit from 0, such as 0.0,0.3")
      .requiredOption("--reason <text>", "the reason; the reseller sees it in its statement"),
    async ({ db, clock }, options, [id = ""]) => {
      const reason = required(options, "reason");
      const refunded = await refundOrder(db, clock, {
        orderId: id,
        lines: linesOf(text(options, "lines")),
        units: unitsOf(text(options, "units")),
        reason,
      });
      const { amountMinor, currency, ...rest } = refunded;
      return { ...rest, amount: toMoney(amountMinor, currency) };
    },
    ({ orderId, status, refundedUnits, amount }) =>
      `${orderId}: ${refundedUnits} ${refundedUnits === 1 ? "unit" : "units"} refunded, ${showMoney(amount.amount, amount.currency)}; the order is ${status}`,
  );
}
