import type { Command } from "commander";
import { createAnnouncer } from "../../../db/announce.ts";
import { keepReversals } from "../../../fulfilment/operate/keep-reversals.ts";
import { refundOrder } from "../../../fulfilment/refund/refund-order.ts";
import { listReversals } from "../../../suppliers/reconcile/reconcile-queries.ts";
import { DELIVERIES_CHANNEL } from "../../../webhooks/settings.ts";
import { showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { type Options, required, text, UsageError, verb } from "../../verb.ts";
import { operatorOf } from "../orders/order-options.ts";

const LISTED_MAX = 1_000;

export function supplierReversalsCommand(supplier: Command): void {
  verb(
    supplier
      .command("reversals")
      .description("delivered units that a supplier took back: keep each as it is, or charge it back")
      .option("--all", "those that are decided too")
      .option("--keep <order.line.unit>", "leave a unit as it is, such as ord_….0.0")
      .option("--charge-back <order.line.unit>", "refund a unit to the reseller; needs --reason")
      .option("--reason <text>", "the reason; of a refund, the reseller sees it in its statement"),
    async ({ db, clock }, options) => {
      const kept = unitOf(options, "keep");
      const charged = unitOf(options, "chargeBack");
      if (kept && charged) throw new UsageError("give --keep or --charge-back, not both");
      if (kept) await keepReversals(db, clock, kept, operatorOf(options));
      if (charged) {
        const reason = required(options, "reason");
        const input = { ...charged, lines: undefined, which: "reversed" as const, reason };
        await refundOrder(db, clock, input, operatorOf(options));
        createAnnouncer(db, DELIVERIES_CHANNEL)();
      }
      const rows = await listReversals(db, { all: options.all === true, limit: LISTED_MAX });
      return {
        data: rows.map((row) => ({
          ...row,
          foundAt: row.foundAt.toISOString(),
          keptAt: row.keptAt?.toISOString(),
        })),
      };
    },
    ({ data }) =>
      data.length === 0
        ? "No reversals wait for a decision."
        : table(
            ["ORDER", "LINE", "UNIT", "SUPPLIER", "FOUND", "UNIT IS"],
            data.map((row) => [
              ...[row.orderId, String(row.lineIndex), String(row.unitIndex), row.supplierId],
              ...[showTime(row.foundAt), row.keptAt === undefined ? row.unitStatus : "kept"],
            ]),
          ),
  );
}

function unitOf(options: Options, name: string) {
  const value = text(options, name);
  if (value === undefined) return undefined;
  const [, orderId, line, unit] = /^(ord_\w+)\.(\d{1,4})\.(\d{1,9})$/.exec(value) ?? [];
  if (orderId === undefined)
    throw new UsageError(
      `--${name === "keep" ? name : "charge-back"} must be an order, a line and a unit, such as ord_….0.0`,
    );
  return { orderId, units: [{ lineIndex: Number(line), unitIndex: Number(unit) }] };
}
