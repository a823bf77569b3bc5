import type { LineSums, OrderSums, ReportBy, ReportDimension, TimeSums } from "./report-queries.ts";
import { percentileMs } from "./time-classes.ts";

export type ReportCell =
  | { kind: "count"; value: bigint }
  | { kind: "money"; minor: bigint; currency: string }
  /** A part of a whole. Of nothing there is no share. */
  | { kind: "share"; part: bigint; whole: bigint }
  /** An amount in this currency that another row of the same key has. */
  | { kind: "elsewhere"; currency: string }
  /** At most so long. */
  | { kind: "time"; ms: number }
  | { kind: "text"; text: string }
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
  ...["Units delivered", "Units bought", "Delivered", "Refunded later", "Cost", "Margin", "Share"],
];
const LANDED_COLUMNS = ["Landed cost", "Margin at acceptance", "Without landed cost"];

/**
 * What was delivered, less what was refunded of it, less what it cost: of orders that have ended. Without a margin where
 * the cost is not known or in another currency. Beside it the margin on what was true when orders were accepted (CONTRACT 8), which
 * counts with the sales: a sale has no supplier, so it is not there by supplier.
 */
export function marginTable(by: ReportBy, of: ReportDimension, lines: readonly LineSums[]): ReportTable {
  const hasLanded = of !== "supplier";
  const groups = Map.groupBy(lines, ({ key, currency }) => `${key} ${currency}`);
  const rows = [...groups.values()].flatMap((group): Row[] => {
    const ended = group
      .filter(
        ({ deliveredUnits, boughtUnits, returnedUnits }) => deliveredUnits + boughtUnits + returnedUnits > 0n,
      )
      .sort(byCostCurrency);
    const [first] = group;
    const isSold =
      hasLanded && group.some(({ landedMinor, unlandedMinor }) => landedMinor !== 0n || unlandedMinor !== 0n);
    const shown = ended.length === 0 && isSold && first ? [first] : ended;
    return shown.map((line, index) => ({
      ...{ key: line.key, weight: line.deliveredMinor },
      // Costs in several currencies are several rows, and the sale counts once.
      cells: [
        ...marginCells(line),
        ...(hasLanded ? landedCells(index === 0 ? group : undefined, line.currency) : []),
      ],
    }));
  });
  return inOrder(by, [...MARGIN_COLUMNS, ...(hasLanded ? LANDED_COLUMNS : [])], rows);
}

/** The cost in the currency of the sale comes first. */
const byCostCurrency = (a: LineSums, b: LineSums): number => {
  const isOther = ({ currency, costCurrency }: LineSums): number => (currency === costCurrency ? 0 : 1);
  return isOther(a) - isOther(b) || (a.costCurrency < b.costCurrency ? -1 : 1);
};

function marginCells(line: LineSums): ReportCell[] {
  const { currency, costCurrency, deliveredMinor, returnedMinor, costMinor } = line;
  const keptMinor = deliveredMinor - returnedMinor;
  const isComparable = costCurrency === currency;
  const marginMinor = keptMinor - costMinor;
  return [
    ...[count(line.deliveredUnits), count(line.boughtUnits), money(deliveredMinor, currency)],
    money(returnedMinor, currency),
    costCurrency === "" ? null : money(costMinor, costCurrency),
    isComparable ? money(marginMinor, currency) : null,
    isComparable ? share(marginMinor, keptMinor) : null,
  ];
}

function landedCells(group: readonly LineSums[] | undefined, currency: string): ReportCell[] {
  if (group === undefined) return LANDED_COLUMNS.map(() => ({ kind: "elsewhere", currency }));
  const total = (of: (line: LineSums) => bigint): bigint => group.reduce((sum, line) => sum + of(line), 0n);
  const landed = total(({ landedMinor }) => landedMinor);
  const unlanded = total(({ unlandedMinor }) => unlandedMinor);
  const net = total(({ soldMinor, refundedMinor }) => soldMinor - refundedMinor);
  return [landed, net - unlanded - landed, unlanded].map((minor) => money(minor, currency));
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
