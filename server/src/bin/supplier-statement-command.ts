import type { Command } from "commander";
import { parseTime } from "../lib/time.ts";
import { type SupplierStatement, supplierStatement } from "../suppliers/supplier-statement.ts";
import { showCost } from "./route-view.ts";
import { type Options, table, text, UsageError, verb } from "./verb.ts";

const ATTEMPTS_MAX = 1_000;
const ATTEMPTS_DEFAULT = "100";

export function supplierStatementCommand(supplier: Command): void {
  verb(
    supplier
      .command("statement")
      .description(
        "what was bought from whom, at what cost, and which purchases are in quarantine, unknown or at another price",
      )
      .option("--supplier <id>", "of this supplier alone")
      .option(
        "--from <time>",
        "purchases begun at this time or later, such as 2030-01-31T00:00:00Z or 2030-01-31",
      )
      .option("--to <time>", "purchases begun before this time")
      .option(
        "--limit <n>",
        `how many purchases to list one by one, up to ${ATTEMPTS_MAX}`,
        ATTEMPTS_DEFAULT,
      ),
    async ({ db }, options) => {
      const filter = {
        supplierId: text(options, "supplier"),
        from: timeOf(options, "from"),
        to: timeOf(options, "to"),
      };
      return supplierStatement(db, filter, limitOf(options));
    },
    showStatement,
  );
}

/** A day alone is its first moment, in UTC. */
function timeOf(options: Options, name: "from" | "to"): Date | undefined {
  const value = text(options, name);
  if (value === undefined) return undefined;
  const time = parseTime(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00Z` : value);
  if (!time) throw new UsageError(`--${name} takes a time such as 2030-01-31T12:00:00Z, not "${value}"`);
  return time;
}

function limitOf(options: Options): number {
  const limit = text(options, "limit") ?? ATTEMPTS_DEFAULT;
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > ATTEMPTS_MAX) {
    throw new UsageError(`--limit takes a number from 1 to ${ATTEMPTS_MAX}, not "${limit}"`);
  }
  return Number(limit);
}

function showStatement({ data, attempts, hasMoreAttempts }: SupplierStatement): string {
  const sums = table(
    [
      "SUPPLIER",
      "NAME",
      "BOUGHT",
      "DELIVERED",
      "QUARANTINED",
      "REFUSED",
      "UNKNOWN",
      "COST",
      "COST OF UNKNOWN",
    ],
    data.map((row) => [
      row.supplierId,
      row.supplierName,
      String(row.bought),
      String(row.delivered),
      String(row.quarantined),
      String(row.refused),
      String(row.unknown),
      showCost(row.cost),
      showCost(row.unknownCost),
    ]),
  );
  if (attempts.length === 0) return sums;
  const listed = table(
    ["STATUS", "WHY", "ORDER", "LINE", "UNIT", "PRODUCT", "SUPPLIER", "BEGUN", "EXPECTED", "PRICE"],
    attempts.map((row) => [
      row.status,
      row.reason ?? "",
      row.orderId,
      String(row.lineIndex),
      String(row.unitIndex),
      row.productId,
      row.supplierId,
      row.openedAt,
      row.cost === undefined ? "" : showCost(row.cost),
      row.price === undefined ? "" : showCost(row.price),
    ]),
  );
  return [
    sums,
    "",
    listed,
    ...(hasMoreAttempts ? ["(there are more: see --limit, --from and --to)"] : []),
  ].join("\n");
}
