import type { Command } from "commander";
import { createAnnouncer } from "../../../db/announce.ts";
import type { LookedUpPurchase } from "../../../fulfilment/operate/look-up-order.ts";
import { answerText } from "../../../fulfilment/operate/what-was-said.ts";
import { refundOrder } from "../../../fulfilment/refund/refund-order.ts";
import { createLog } from "../../../lib/log.ts";
import { toMoney } from "../../../lib/money.ts";
import { DELIVERIES_CHANNEL } from "../../../webhooks/settings.ts";
import { showMoney } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { required, text, verb } from "../../verb.ts";
import { linesOf, operatorOf } from "./order-options.ts";

/** What is done with purchases whose outcome is not known. */
export function orderPurchaseCommands(order: Command): void {
  verb(
    order
      .command("look-up")
      .description("ask suppliers now about an order's purchases with an unknown outcome; sends nothing")
      .argument("<id>")
      .option("--reason <text>", "the reason, for the activity log"),
    async (context, options, [id = ""]) => {
      const [{ lookUpOrder }, { createSupplierCalls }, { FULFILMENT_LIMITS }, { startDatabaseClock }] =
        await Promise.all([
          import("../../../fulfilment/operate/look-up-order.ts"),
          import("../../../fulfilment/supplier-calls.ts"),
          import("../../../fulfilment/limits.ts"),
          import("../../../db/database-clock.ts"),
        ]);
      // As workers do: another time could end a purchase that is still on its way.
      const clock = await startDatabaseClock(context.db, context.clock);
      const log = createLog("silent", { write: () => {} });
      const calls = createSupplierCalls({ ...context, clock, log }, FULFILMENT_LIMITS);
      const onSettled = createAnnouncer(context.db, DELIVERIES_CHANNEL);
      return lookUpOrder({ ...calls, onSettled }, id, operatorOf(options)).finally(() =>
        Promise.all([calls.closeSuppliers(), clock.stop()]),
      );
    },
    ({ purchases }) => showPurchases(purchases),
  );
  verb(
    order
      .command("write-off")
      .description(
        "stop waiting for an order's purchases with an unknown outcome: refund their units now; a code that still arrives goes to quarantine",
      )
      .argument("<id>")
      .option("--lines <indexes>", "only these lines, from 0, such as 0,2")
      .requiredOption("--reason <text>", "the reason; the reseller sees it in its statement"),
    async ({ db, clock }, options, [id = ""]) => {
      const refunded = await refundOrder(
        db,
        clock,
        {
          orderId: id,
          lines: linesOf(text(options, "lines")),
          which: "unknown",
          reason: required(options, "reason"),
        },
        operatorOf(options),
      );
      const { amountMinor, currency, ...rest } = refunded;
      return { ...rest, amount: toMoney(amountMinor, currency) };
    },
    ({ orderId, status, refundedUnits, amount }) =>
      `${orderId}: ${refundedUnits} ${refundedUnits === 1 ? "unit" : "units"} written off, ${showMoney(amount.amount, amount.currency)} refunded; the order is ${status}`,
  );
}

const showPurchases = (purchases: readonly LookedUpPurchase[]): string =>
  table(
    ["REFERENCE", "OUTCOME", "ANSWER", "SUPPLIER"],
    purchases.map(({ reference, outcome, answer, supplierId }) => [
      reference,
      outcome,
      answerText(answer),
      supplierId,
    ]),
  );
