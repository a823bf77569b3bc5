import type { Command } from "commander";
import { csvLine, withoutFormula } from "../../../lib/csv/csv-line.ts";
import { formatAmount } from "../../../lib/money.ts";
import { countFacts } from "../../../reports/count-facts.ts";
import {
  LOST_COLUMNS,
  type LostPurchase,
  type LostSum,
  listLost,
  lostCells,
  sumLost,
} from "../../../reports/list-lost.ts";
import { MARGIN_BYS, type MarginReport, type MarginRow, readMargin } from "../../../reports/read-margin.ts";
import { getSupplier } from "../../../suppliers/get-supplier.ts";
import type { Context } from "../../open-context.ts";
import { showAmount, showCount } from "../../output/format.ts";
import { table } from "../../output/table.ts";
import { listed, type Options, required, text, UsageError, verb } from "../../verb.ts";
import { choiceOf, timeOf } from "../read-options.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULT_DAYS = 30;

export function reportCommands(program: Command): void {
  const report = program.command("report").description("what was sold, earned and lost");
  lostCommand(report);
  for (const name of ["margin", "sales"] as const)
    verb(
      report
        .command(name)
        .description(
          name === "margin"
            ? "sales, refunds, cost and margin in the currency of the sale, converted at the rates of acceptance"
            : "sales and refunds",
        )
        .option("--by <list>", `one or more of ${MARGIN_BYS.join(", ")}`, "day")
        .option("--from <time>", "from this day or hour on; the last 30 days without it")
        .option("--to <time>", "until before this day or hour, in UTC")
        .option("--env <environment>", "live or test", "live")
        .option("--csv", "print CSV"),
      async (context, options) => {
        const { db, clock } = context;
        await countAll(context);
        const report = await readMargin(db, scopeOf(options, clock.now()));
        if (options.csv === true) return { csv: toCsv(name, report) };
        return options.json === true ? toView(name, report) : { report };
      },
      (result) => {
        if ("csv" in result) return result.csv;
        return "report" in result ? showReport(name, result.report) : undefined;
      },
    );
}

function lostCommand(report: Command): void {
  verb(
    report
      .command("lost")
      .description("what suppliers were paid for nothing or too much, by supplier and cause")
      .option("--supplier <id>", "of this supplier alone")
      .option("--from <time>", "from this day or hour on; the last 30 days without it")
      .option("--to <time>", "until before this day or hour, in UTC")
      .option("--csv", "print the purchases as CSV, to be sent to the supplier"),
    async ({ db, clock }, options) => {
      const scope = { ...periodOf(options, clock.now()), supplierId: text(options, "supplier") };
      if (scope.supplierId !== undefined) await getSupplier(db, scope.supplierId);
      const [sums, purchases] = await Promise.all([sumLost(db, scope), listLost(db, scope)]);
      if (options.csv === true) return { csv: lostCsv(purchases) };
      return options.json === true ? lostView(sums, purchases) : { sums };
    },
    (result) => {
      if ("csv" in result) return result.csv;
      return "sums" in result ? showLost(result.sums) : undefined;
    },
  );
}

const lostCsv = (purchases: readonly LostPurchase[]): string =>
  [LOST_COLUMNS, ...purchases.map((one) => lostCells(one).map(withoutFormula))].map(csvLine).join("\n");

const lostAmounts = ({ currency, chargedMinor, givenBackMinor, lostMinor }: LostSum | LostPurchase) => ({
  currency: currency || null,
  charged: currency === "" ? null : formatAmount(chargedMinor, currency),
  givenBack: currency === "" ? null : formatAmount(givenBackMinor, currency),
  lost: currency === "" || lostMinor === null ? null : formatAmount(lostMinor, currency),
});

const lostView = (sums: readonly LostSum[], purchases: readonly LostPurchase[]) => ({
  data: sums.map(({ supplierId, supplierName, cause, ...one }) => ({
    ...{ supplierId, supplierName, cause, purchases: one.purchases },
    ...lostAmounts({ supplierId, supplierName, cause, ...one }),
  })),
  purchases: purchases.map((one) => ({
    ...{ supplierId: one.supplierId, cause: one.cause, at: one.at.toISOString(), orderId: one.orderId },
    ...{ reference: one.reference, supplierNumber: one.upstreamId, sku: one.sku },
    ...lostAmounts(one),
  })),
});

function showLost(sums: readonly LostSum[]): string {
  if (sums.length === 0) return "Nothing was lost in this period.";
  const right = (heading: string) => ({ heading, right: true as const });
  return table(
    ["SUPPLIER", "CAUSE", "CURRENCY", ...["PURCHASES", "CHARGED", "GIVEN BACK", "LOST"].map(right)],
    sums.map((one) => {
      const say = (minor: bigint | null): string =>
        minor === null || one.currency === "" ? "–" : showAmount(minor, one.currency);
      return [
        ...[one.supplierName, one.cause, one.currency || "–", showCount(one.purchases)],
        ...[one.chargedMinor, one.givenBackMinor, one.lostMinor].map(say),
      ];
    }),
  );
}

/** What happened before the command is in its report. */
async function countAll({ db, clock, config }: Context): Promise<void> {
  while (await countFacts({ db, clock, rateMaxAgeMs: config.pricing.rateMaxAgeMs }));
}

function scopeOf(options: Options, now: Date) {
  const by = (listed(required(options, "by")) ?? []).map((text) => {
    const found = MARGIN_BYS.find((known) => known === text);
    if (!found) throw new UsageError(`--by must name ${MARGIN_BYS.join(", ")}, not "${text}"`);
    return found;
  });
  if (by.length === 0) throw new UsageError(`--by must name at least one of ${MARGIN_BYS.join(", ")}`);
  return { by, ...periodOf(options, now), environment: choiceOf(options, "env", ["live", "test"]) ?? "live" };
}

function periodOf(options: Options, now: Date): { from: Date; to: Date } {
  const to = timeOf(options, "to") ?? new Date(now.getTime() + HOUR_MS);
  const from = timeOf(options, "from") ?? new Date(to.getTime() - DEFAULT_DAYS * DAY_MS);
  if (from > to) throw new UsageError("--from must be before --to");
  // The same day twice is that day.
  const end = from.getTime() === to.getTime() ? new Date(to.getTime() + DAY_MS) : to;
  return {
    from: new Date(Math.floor(from.getTime() / HOUR_MS) * HOUR_MS),
    to: new Date(Math.ceil(end.getTime() / HOUR_MS) * HOUR_MS),
  };
}

type Name = "margin" | "sales";

const isKnown = ({ marginMinor }: MarginRow): boolean => marginMinor !== undefined;

const rowView = (name: Name, by: readonly string[], row: MarginRow) => ({
  ...Object.fromEntries(by.map((one, index) => [one, row.keys[index] ?? ""])),
  currency: row.currency,
  soldUnits: Number(row.soldUnits),
  sold: formatAmount(row.soldMinor, row.currency),
  refunded: formatAmount(row.refundedMinor, row.currency),
  net: formatAmount(row.netMinor, row.currency),
  ...(name === "sales"
    ? {}
    : {
        delivered: formatAmount(row.deliveredMinor, row.currency),
        refundedLater: formatAmount(row.returnedMinor, row.currency),
        cost: isKnown(row) ? formatAmount(row.convertedMinor, row.currency) : null,
        converted: row.isConverted,
        margin: row.marginMinor === undefined ? null : formatAmount(row.marginMinor, row.currency),
        lost: isKnown(row) ? formatAmount(row.lostConvertedMinor, row.currency) : null,
        costNotKnown: formatAmount(row.uncostedMinor, row.currency),
        landed: formatAmount(row.landedMinor, row.currency),
        withoutCost: formatAmount(row.unlandedMinor, row.currency),
        marginAtAcceptance: formatAmount(row.acceptedMarginMinor, row.currency),
        deliveredUnits: Number(row.deliveredUnits),
        boughtUnits: Number(row.boughtUnits),
        lostUnits: Number(row.lostUnits),
        charged: row.charged.map(({ currency, costMinor, lostMinor }) => ({
          currency,
          cost: formatAmount(costMinor, currency),
          lost: formatAmount(lostMinor, currency),
        })),
      }),
});

const toView = (name: Name, report: MarginReport) => ({
  by: report.by,
  data: report.rows.map((row) => rowView(name, report.by, row)),
  totals: report.totals.map((row) => rowView(name, [], row)),
  completeUntil: report.completeUntil?.toISOString() ?? null,
});

const MARGIN_COLUMNS = [
  ...["charged", "cost converted", "margin", "lost converted", "cost not known"],
  ...["landed", "without landed", "margin at acceptance"],
];

const cellsOf = (
  name: Name,
  row: MarginRow,
  amount: (minor: bigint, currency: string) => string,
): string[] => {
  const say = (minor: bigint): string => amount(minor, row.currency);
  const known = (minor: bigint): string => (isKnown(row) ? say(minor) : "");
  return [
    ...[row.soldMinor, row.refundedMinor, row.netMinor].map(say),
    ...(name === "sales"
      ? []
      : [
          row.charged.map((one) => `${amount(one.costMinor, one.currency)} ${one.currency}`).join(" + "),
          ...[row.convertedMinor, row.marginMinor ?? 0n, row.lostConvertedMinor].map(known),
          ...[row.uncostedMinor, row.landedMinor, row.unlandedMinor, row.acceptedMarginMinor].map(say),
        ]),
  ];
};

const columnsOf = (name: Name): string[] => [
  ...["sold", "refunded", "net"],
  ...(name === "sales" ? [] : MARGIN_COLUMNS),
];

function toCsv(name: Name, { by, rows, totals }: MarginReport): string {
  const line = (keys: readonly string[], row: MarginRow) =>
    csvLine([
      ...keys.map(withoutFormula),
      row.currency,
      row.soldUnits.toString(),
      ...cellsOf(name, row, formatAmount),
    ]);
  return [
    csvLine([...by, "currency", "units", ...columnsOf(name)]),
    ...rows.map((row) => line(row.keys, row)),
    ...totals.map((row) =>
      line(
        by.map((_, index) => (index === 0 ? "total" : "")),
        row,
      ),
    ),
  ].join("\n");
}

function showReport(name: Name, { by, rows, totals }: MarginReport): string {
  if (rows.length === 0) return "Nothing was sold, refunded or bought in this period.";
  const line = (keys: readonly string[], row: MarginRow) => [
    ...keys.map((key) => key || "–"),
    row.currency,
    showCount(row.soldUnits),
    ...cellsOf(name, row, showAmount),
  ];
  const right = (heading: string) => ({ heading: heading.toUpperCase(), right: true as const });
  return table(
    [...by.map((one) => one.toUpperCase()), "CURRENCY", ...["units", ...columnsOf(name)].map(right)],
    [
      ...rows.map((row) => line(row.keys, row)),
      ...totals.map((row) =>
        line(
          by.map((_, index) => (index === 0 ? "total" : "")),
          row,
        ),
      ),
    ],
  );
}
