import { type ChartTone, type DayChartOptions, dayChart } from "../../web/chart/day-chart.ts";
import { moneyText } from "../../web/parts/money.ts";
import { dayText } from "../../web/parts/time.ts";
import type { Html } from "../../web/template/html.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Hours or days, from the first, inclusive, to the last, exclusive. */
export type TimeSpan = { by: "hour" | "day"; from: Date; to: Date };

const HOUR_UNIT = {
  name: "Hour (UTC)",
  text: (at: Date): string => `${dayText(at)}, ${at.toISOString().slice(11, 16)}`,
};

/** The key that a report has for a time. */
export const keyOf = (by: "hour" | "day", at: Date): string =>
  by === "hour" ? `${at.toISOString().slice(0, 16)}Z` : at.toISOString().slice(0, 10);

/** The times of a span that have begun, oldest first. A report has no rows for those in which nothing happened. */
export function timesOf({ by, from, to }: TimeSpan, now: Date): Date[] {
  const step = by === "hour" ? HOUR_MS : DAY_MS;
  const end = Math.min(to.getTime(), now.getTime() + 1);
  const count = Math.max(0, Math.ceil((end - from.getTime()) / step));
  return Array.from({ length: count }, (_, index) => new Date(from.getTime() + index * step));
}

export type Series = {
  title: string;
  /** What its values are: "Orders". */
  name: string;
  tone?: ChartTone;
  /** By key. Money is in minor units. */
  values: ReadonlyMap<string, bigint>;
  /** Without it they are counts. */
  currency?: string;
};

/** One chart of one series, with the numbers as a table below it. */
export function timeChart(
  span: TimeSpan,
  { title, name, tone = "accent", values, currency }: Series,
  now: Date,
): Html {
  const step = span.by === "hour" ? HOUR_MS : DAY_MS;
  const options: DayChartOptions = {
    title,
    kind: "bars",
    series: [{ name, tone }],
    days: timesOf(span, now).map((day) => ({
      day,
      values: [Number(values.get(keyOf(span.by, day)) ?? 0n)],
      isPartial: day.getTime() + step > now.getTime(),
    })),
    ...(span.by === "hour" ? { unit: HOUR_UNIT } : {}),
    ...(currency === undefined
      ? {}
      : { format: (value: number) => moneyText(BigInt(Math.round(value)), currency) }),
  };
  return dayChart(options);
}
