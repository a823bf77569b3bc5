import type { Command } from "commander";
import { holdOrder, retryOrder } from "../../fulfilment/operate/hold-order.ts";
import { showFulfilment } from "../../fulfilment/operate/show-fulfilment.ts";
import { refundOrder } from "../../fulfilment/refund/refund-order.ts";
import { toMoney } from "../../lib/money.ts";
import { toOrderView } from "../../orders/order-view.ts";
import { findAnyOrder } from "../../orders/queries.ts";
import { showMoney } from "../output/format.ts";
import { listed, required, text, UsageError, verb } from "../verb.ts";
import { orderListCommand } from "./order-list-command.ts";
import { orderPage } from "./order-page.ts";

export function orderCommands(program: Command): void {
  const order = program.command("order").description("orders of all resellers");
  orderListCommand(order);
  showCommand(order);
  refundCommand(order);

  verb(
    order
      .command("retry")
      .description("process an order now: ask its suppliers again and retry its units")
      .argument("<id>"),
    ({ db, clock }, _options, [id = ""]) => retryOrder(db, clock, id),
    ({ orderId, status }) => `${orderId} is ${status} and will be processed now`,
  );
  verb(
    order
      .command("hold")
      .description("hold an order's refund: if every unit fails, the order stays failed")
      .argument("<id>")
      .option("--release", "continue the refund"),
    ({ db, clock }, options, [id = ""]) => holdOrder(db, clock, id, options.release !== true),
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
      .requiredOption("--reason <text>", "the reason; the reseller sees it in its statement"),
    async ({ db, clock }, options, [id = ""]) => {
      const reason = required(options, "reason");
      const refunded = await refundOrder(db, clock, {
        orderId: id,
        lines: linesOf(text(options, "lines")),
        reason,
      });
      const { amountMinor, currency, ...rest } = refunded;
      return { ...rest, amount: toMoney(amountMinor, currency) };
    },
    ({ orderId, status, refundedUnits, amount }) =>
      `${orderId}: ${refundedUnits} ${refundedUnits === 1 ? "unit" : "units"} refunded, ${showMoney(amount.amount, amount.currency)}; the order is ${status}`,
  );
}

function linesOf(value: string | undefined): number[] | undefined {
  return listed(value)?.map((index) => {
    if (!/^\d{1,2}$/.test(index))
      throw new UsageError(`--lines must be line numbers such as 0,2, not "${index}"`);
    return Number(index);
  });
}
