import type { Command } from "commander";
import { listReversals, markKept } from "../../../suppliers/reconcile/reconcile-queries.ts";
import { showTime } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { text, UsageError, verb } from "../../verb.ts";

const LISTED_MAX = 1_000;

export function supplierReversalsCommand(supplier: Command): void {
  verb(
    supplier
      .command("reversals")
      .description(
        "delivered units that a supplier took back: refund each with scrip order refund, or keep it",
      )
      .option("--all", "those that are decided too")
      .option("--keep <order.line.unit>", "leave a unit as it is, such as ord_….0.0"),
    async ({ db, clock }, options) => {
      const kept = text(options, "keep");
      if (kept !== undefined) {
        const [, orderId = "", line, unit] = /^(ord_\w+)\.(\d{1,4})\.(\d{1,9})$/.exec(kept) ?? [];
        if (orderId === "")
          throw new UsageError("--keep must be an order, a line and a unit, such as ord_….0.0");
        const key = { orderId, lineIndex: Number(line), unitIndex: Number(unit) };
        const rows = await markKept(db, key, clock.now());
        if (rows.length === 0) throw new RangeError(`${kept} has no reversal that waits for a decision`);
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
