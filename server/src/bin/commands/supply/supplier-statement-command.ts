import type { Command } from "commander";
import { type SupplierStatement, supplierStatement } from "../../../suppliers/supplier-statement.ts";
import { showCount, showTime } from "../../output/format.ts";
import { showCost } from "../../output/route-view.ts";
import { table } from "../../output/table.ts";
import { text, verb } from "../../verb.ts";
import { limitOf, timeOf } from "../read-options.ts";

const ATTEMPTS_MAX = 1_000;
const ATTEMPTS_DEFAULT = "100";

export function supplierStatementCommand(supplier: Command): void {
  verb(
    supplier
      .command("statement")
      .description(
        "show purchases and costs by supplier, and purchases that are quarantined, unknown or at a different price",
      )
      .option("--supplier <id>", "only this supplier")
      .option(
        "--from <time>",
        "purchases started at this time or later, such as 2030-01-31T00:00:00Z or 2030-01-31",
      )
      .option("--to <time>", "purchases started before this time")
      .option("--limit <n>", `maximum number of purchases to list, up to ${ATTEMPTS_MAX}`, ATTEMPTS_DEFAULT),
    async ({ db }, options) => {
      const filter = {
        supplierId: text(options, "supplier"),
        from: timeOf(options, "from"),
        to: timeOf(options, "to"),
      };
      return supplierStatement(db, filter, limitOf(options, ATTEMPTS_MAX));
    },
    showStatement,
  );
}

function showStatement({ data, attempts, hasMoreAttempts }: SupplierStatement): string {
  if (data.length === 0) return "No purchases in this period.";
  const sums = sumTable(data);
  if (attempts.length === 0) return sums;
  const more = hasMoreAttempts ? ["(more purchases exist: use --limit, --from and --to)"] : [];
  return [sums, "", attemptTable(attempts), ...more].join("\n");
}

const sumTable = (data: SupplierStatement["data"]): string =>
  table(
    [
      "SUPPLIER",
      { heading: "NAME", cut: true, optional: true },
      { heading: "BOUGHT", right: true },
      { heading: "DELIVERED", right: true, optional: true },
      { heading: "QUARANTINED", right: true, optional: true },
      { heading: "REFUSED", right: true, optional: true },
      { heading: "NOT MADE", right: true, optional: true },
      { heading: "UNKNOWN", right: true },
      { heading: "COST", right: true },
      { heading: "COST OF UNKNOWN", right: true, optional: true },
    ],
    data.map((row) => [
      row.supplierId,
      row.supplierName,
      showCount(row.bought),
      showCount(row.delivered),
      showCount(row.quarantined),
      showCount(row.refused),
      showCount(row.notMade),
      row.unknown === 0 ? "0" : { text: showCount(row.unknown), style: "yellow" },
      showCost(row.cost),
      showCost(row.unknownCost),
    ]),
  );

const attemptTable = (attempts: SupplierStatement["attempts"]): string =>
  table(
    [
      "STATUS",
      { heading: "WHY", cut: true, optional: true },
      "ORDER",
      { heading: "LINE", right: true },
      { heading: "UNIT", right: true },
      { heading: "PRODUCT", optional: true },
      { heading: "SUPPLIER", optional: true },
      "STARTED (UTC)",
      { heading: "EXPECTED", right: true, optional: true },
      { heading: "PRICE", right: true, optional: true },
    ],
    attempts.map((row) => [
      row.status,
      row.reason ?? "",
      row.orderId,
      String(row.lineIndex),
      String(row.unitIndex),
      row.productId,
      row.supplierId,
      showTime(row.openedAt),
      row.cost === undefined ? "" : showCost(row.cost),
      row.price === undefined ? "" : showCost(row.price),
    ]),
  );
