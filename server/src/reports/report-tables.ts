import { keptOf, marginOf, sumParts } from "./margin-of.ts";
import type { LineSums, OrderSums, ReportBy, ReportDimension, TimeSums } from "./report-queries.ts";
import { percentileMs } from "./time-classes.ts";

export type ReportCell =
  | { kind: "count"; value: bigint }
  | { kind: "money"; minor: bigint; currency: string }
  /** A part of a whole. Of nothing there is no share. */
  | { kind: "share"; part: bigint; whole: bigint }
  /** At most so long. */
  | { kind: "time"; ms: number }
  /** In several currencies, which cannot be added. */
  | { kind: "amounts"; amounts: readonly { minor: bigint; currency: string }[] }
  /** Not known, or it makes no sense in this row. */
  | null;

export type ReportTable = {
  columns: readonly string[];
  /** A key can occur several times: once for each currency. */
  rows: readonly { key: string; cells: readonly ReportCell[] }[];
};

type Row = { key: string; cells: ReportCell[]; weight: bigint };

/** In tenths of a percent, rounded towards zero. */
export const permilleOf = ({ part, whole }: { part: bigint; whole: bigint }): bigint | undefined =>
  whole <= 0n ? undefined : (part * 1_000n) / whole;

const count = (value: bigint): ReportCell => ({ kind: "count", value });
const money = (minor: bigint, currency: string): ReportCell => ({ kind: "money", minor, currency });
const share = (part: bigint, whole: bigint): ReportCell => ({ kind: "share", part, whole });
const time = (ms: number | undefined): ReportCell => (ms === undefined ? null : { kind: "time", ms });

const isByTime = (by: ReportBy): boolean => by === "hour" || by === "day";
/** An order can have several products and suppliers, so it is counted by its reseller alone. */
const hasOrders = (of: ReportDimension): boolean => of === "reseller";

/** The latest time first; products, resellers and suppliers by what they weigh. */
const inOrder = (by: ReportBy, columns: readonly string[], rows: Row[]): ReportTable => ({
  columns,
  rows: rows
    .sort((a, b) => {
      const byKey = a.key < b.key ? -1 : a.key > b.key ? 1 : 0;
      return isByTime(by) ? -byKey : a.weight === b.weight ? byKey : a.weight < b.weight ? 1 : -1;
    })
    .map(({ key, cells }) => ({ key, cells })),
});

const ADDED = [
  ...(["soldUnits", "soldMinor", "refundedUnits", "refundedMinor"] as const),
  ...(["returnedUnits", "returnedMinor", "deliveredUnits", "deliveredMinor"] as const),
];

/** Sums of the same key and currency, whatever the currency of their cost. */
function byCurrency(lines: readonly LineSums[]): Map<string, LineSums> {
  const sums = new Map<string, LineSums>();
  for (const line of lines) {
    const name = `${line.key} ${line.currency}`;
    const sum = sums.get(name);
    if (sum) for (const measure of ADDED) sum[measure] += line[measure];
    else sums.set(name, { ...line });
  }
  return sums;
}

const NO_ORDERS = { orders: 0n, refunds: 0n };

/** By supplier, what a supplier delivered: a sale has no supplier before that. */
export function salesTable(
  by: ReportBy,
  of: ReportDimension,
  orders: readonly OrderSums[],
  lines: readonly LineSums[],
): ReportTable {
  const ordersOf = new Map(orders.map((sum) => [`${sum.key} ${sum.currency}`, sum]));
  const isDelivered = of === "supplier";
  const rows = [...byCurrency(lines)].map(([name, line]): Row => {
    const { key, currency } = line;
    const units = isDelivered ? line.deliveredUnits : line.soldUnits;
    const soldMinor = isDelivered ? line.deliveredMinor : line.soldMinor;
    const refundedMinor = isDelivered ? line.returnedMinor : line.refundedMinor;
    const amounts = [soldMinor, refundedMinor, soldMinor - refundedMinor].map((minor) =>
      money(minor, currency),
    );
    const placed = hasOrders(of) ? [count((ordersOf.get(name) ?? NO_ORDERS).orders)] : [];
    return { key, cells: [...placed, count(units), ...amounts], weight: soldMinor };
  });
  const units = isDelivered ? ["Units delivered", "Delivered"] : ["Units", "Sold"];
  return inOrder(by, [...(hasOrders(of) ? ["Orders"] : []), ...units, "Refunded", "Net"], rows);
}

const MARGIN_COLUMNS = [
  ...[
    "Units delivered",
    "Units bought",
    "Delivered",
    "Refunded later",
    "Charged",
    "Cost converted",
    "Lost converted",
  ],
  ...["Margin", "Share", "Cost not known"],
];
const LANDED_COLUMNS = ["Landed cost", "Margin at acceptance", "Without landed cost"];

/**
 * What was delivered, less what was refunded of it, less what it cost: of orders that have ended, with costs in the currency of the sale,
 * converted at the rate of each order's acceptance. Beside it the margin on what was true when orders were accepted (CONTRACT 8), which
 * counts with the sales: a sale has no supplier, so it is not there by supplier.
 */
export function marginTable(by: ReportBy, of: ReportDimension, lines: readonly LineSums[]): ReportTable {
  const hasLanded = of !== "supplier";
  const groups = Map.groupBy(lines, ({ key, currency }) => `${key} ${currency}`);
  const rows = [...groups.values()].flatMap((group): Row[] => {
    const [first] = group;
    const total = (measure: AmountOf<LineSums>): bigint => group.reduce((sum, one) => sum + one[measure], 0n);
    const isSold = hasLanded && (total("landedMinor") !== 0n || total("unlandedMinor") !== 0n);
    const isEnded = group.some((one) => one.deliveredUnits + one.boughtUnits + one.returnedUnits > 0n);
    if (!first || !(isSold || isEnded || total("convertedMinor") !== 0n)) return [];
    const { key, currency } = first;
    const cells = [
      ...marginCells(group, total, currency),
      ...(hasLanded ? landedCells(total, currency) : []),
    ];
    return [{ key, weight: total("deliveredMinor"), cells }];
  });
  return inOrder(by, [...MARGIN_COLUMNS, ...(hasLanded ? LANDED_COLUMNS : [])], rows);
}

type AmountOf<Sums> = { [Name in keyof Sums]: Sums[Name] extends bigint ? Name : never }[keyof Sums];
type Total = (measure: AmountOf<LineSums>) => bigint;

function marginCells(group: readonly LineSums[], total: Total, currency: string): ReportCell[] {
  const parts = sumParts(group);
  const margin = marginOf(parts);
  const isKnown = margin !== undefined;
  return [
    ...[count(total("deliveredUnits")), count(total("boughtUnits"))],
    ...[money(parts.deliveredMinor, currency), money(parts.returnedMinor, currency), chargedCell(group)],
    isKnown ? money(parts.convertedMinor, currency) : null,
    isKnown ? money(total("lostConvertedMinor"), currency) : null,
    isKnown ? money(margin, currency) : null,
    isKnown ? share(margin, keptOf(parts)) : null,
    money(parts.uncostedMinor, currency),
  ];
}

/** What suppliers charged, in each of their currencies. */
function chargedCell(group: readonly LineSums[]): ReportCell {
  const charged = group
    .filter(({ costCurrency, costMinor }) => costCurrency !== "" && costMinor !== 0n)
    .toSorted((a, b) => (a.costCurrency < b.costCurrency ? -1 : 1));
  if (charged.length === 0) return null;
  const amounts = charged.map(({ costMinor, costCurrency }) => ({
    minor: costMinor,
    currency: costCurrency,
  }));
  return { kind: "amounts", amounts };
}

function landedCells(total: Total, currency: string): ReportCell[] {
  const [landed, unlanded] = [total("landedMinor"), total("unlandedMinor")];
  const net = total("soldMinor") - total("refundedMinor");
  // Nothing that was sold has a landed cost: that is not known, and not zero.
  const isKnown = landed !== 0n || net !== unlanded;
  const known = [landed, net - unlanded - landed].map((minor) => (isKnown ? money(minor, currency) : null));
  return [...known, money(unlanded, currency)];
}

export function refundsTable(
  by: ReportBy,
  of: ReportDimension,
  orders: readonly OrderSums[],
  lines: readonly LineSums[],
): ReportTable {
  const ordersOf = new Map(orders.map((sum) => [`${sum.key} ${sum.currency}`, sum]));
  const rows = [...byCurrency(lines)].flatMap(([name, line]): Row[] => {
    const { key, currency, refundedMinor, returnedMinor } = line;
    if (line.refundedUnits === 0n) return [];
    const whole = of === "supplier" ? line.deliveredMinor : line.soldMinor;
    const cells = [
      ...(hasOrders(of) ? [count((ordersOf.get(name) ?? NO_ORDERS).refunds)] : []),
      ...[
        count(line.refundedUnits),
        money(refundedMinor, currency),
        money(refundedMinor - returnedMinor, currency),
      ],
      ...[money(returnedMinor, currency), share(refundedMinor, whole)],
    ];
    return [{ key, cells, weight: refundedMinor }];
  });
  const columns = ["Units", "Refunded", "Not delivered", "After delivery", "Share of sales"];
  return inOrder(by, [...(hasOrders(of) ? ["Refunds"] : []), ...columns], rows);
}

/** Orders by time and by reseller; by product and by supplier, delivered units. */
export function fulfilmentTable(
  by: ReportBy,
  of: ReportDimension,
  orders: readonly OrderSums[],
  lines: readonly LineSums[],
  times: readonly TimeSums[],
): ReportTable {
  const timesOf = Map.groupBy(times, ({ key }) => key);
  const spans = (key: string): ReportCell[] =>
    [50, 95, 99].map((percent) => time(percentileMs(timesOf.get(key) ?? [], percent)));
  if (hasOrders(of)) {
    const rows = [...Map.groupBy(orders, ({ key }) => key)].flatMap(([key, sums]): Row[] => {
      const total = (of: "completed" | "completedInPart" | "failed") =>
        sums.reduce((sum, one) => sum + one[of], 0n);
      const [completed, inPart, failed] = [total("completed"), total("completedInPart"), total("failed")];
      const ended = completed + inPart + failed;
      if (ended === 0n) return [];
      const cells = [count(completed), count(inPart), count(failed), share(completed, ended), ...spans(key)];
      return [{ key, weight: ended, cells }];
    });
    return inOrder(by, ["Completed", "In part", "Failed", "Success", "Median", "95 %", "99 %"], rows);
  }
  const rows = [...Map.groupBy(lines, ({ key }) => key)].flatMap(([key, sums]): Row[] => {
    const delivered = sums.reduce((sum, one) => sum + one.deliveredUnits, 0n);
    return delivered === 0n ? [] : [{ key, weight: delivered, cells: [count(delivered), ...spans(key)] }];
  });
  return inOrder(by, ["Units delivered", "Median", "95 %", "99 %"], rows);
}
