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
      .description("look at an order now: ask its suppliers again, try again what can be tried")
      .argument("<id>"),
    ({ db, clock }, _options, [id = ""]) => retryOrder(db, clock, id),
    ({ orderId, status }) => `${orderId} is ${status} and is looked at now`,
  );
  verb(
    order
      .command("hold")
      .description("keep an order's refund back: when every unit has failed, it rests at failed")
      .argument("<id>")
      .option("--release", "let the refund go on"),
    ({ db, clock }, options, [id = ""]) => holdOrder(db, clock, id, options.release !== true),
    ({ orderId, status, refundHeld }) =>
      `${orderId} is ${status}; its refund ${refundHeld ? "is on hold" : "goes on"}`,
  );
}

function showCommand(order: Command): void {
  verb(
    order
      .command("show")
      .description("one order, whoever placed it, with the purchases that were made for it")
      .argument("<id>"),
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
        "pay an order back: what was delivered of a completed one, what is not delivered of any other; a purchase that is still unknown is written off",
      )
      .argument("<id>")
      .option("--lines <indexes>", "only these lines, counted from 0, such as 0,2")
      .requiredOption("--reason <text>", "why; the reseller reads it in its statement"),
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
      throw new UsageError(`--lines takes line numbers such as 0,2, not "${index}"`);
    return Number(index);
  });
}
