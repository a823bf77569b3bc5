import { REPORT_BYS, REPORT_NAMES, type ReportName } from "../../reports/read-report.ts";
import type { ReportBy, ReportDimension, ReportScope } from "../../reports/report-queries.ts";
import { environmentOf } from "../../web/pages/here.ts";
import type { ConsoleContext } from "../session.ts";
import { DAY_MS } from "./time-series.ts";

/** The days of a report when the address names none. */
const DEFAULT_DAYS = 30;
/** By hour a month is 744 rows; by day ten years are 3,650. */
const DAYS_MAX: Readonly<Record<"hour" | "day", number>> = { hour: 31, day: 366 };
const MEMBER_DAYS_MAX = 3_660;

/** What the address asks for. Both days are included, in UTC. */
export type AskedReport = {
  name: ReportName;
  by: ReportBy;
  from: string;
  to: string;
  /** Only this product, reseller or supplier. */
  member?: { of: ReportDimension; id: string } | undefined;
};

export const DIMENSIONS: readonly ReportDimension[] = ["product", "reseller", "supplier"];

export const findReportName = (text: string | undefined): ReportName | undefined =>
  REPORT_NAMES.find((name) => name === text);

/** What is no day, or too long a time, becomes one that is: the report says which. */
export function readAsked(
  { query, now }: Pick<ConsoleContext, "query" | "now">,
  name: ReportName,
): AskedReport {
  const member = readMember(query);
  const by = member ? timeOf(member.of, query.by) : (REPORT_BYS.find((known) => known === query.by) ?? "day");
  const last = readDay(query.to) ?? Math.floor(now.getTime() / DAY_MS) * DAY_MS;
  const daysMax = by === "hour" || by === "day" ? DAYS_MAX[by] : MEMBER_DAYS_MAX;
  const wanted = readDay(query.from) ?? last - (DEFAULT_DAYS - 1) * DAY_MS;
  const first = Math.max(Math.min(wanted, last), last - (daysMax - 1) * DAY_MS);
  return { name, by, from: dayKey(first), to: dayKey(last), member };
}

/** One member is shown by time. Products are counted by day. */
const timeOf = (of: ReportDimension, by: string | undefined): "hour" | "day" =>
  by === "hour" && of !== "product" ? "hour" : "day";

function readMember(query: ConsoleContext["query"]): AskedReport["member"] {
  const of = DIMENSIONS.find((one) => (query[one] ?? "") !== "");
  return of && { of, id: (query[of] ?? "").replaceAll("\0", "") };
}

/** The same as parameters of an address. */
export const askedQuery = ({ by, from, to, member }: AskedReport): Record<string, string> => ({
  ...{ by, from, to },
  ...(member ? { [member.of]: member.id } : {}),
});

export const scopeOf = (ctx: ConsoleContext, { by, from, to, member }: AskedReport): ReportScope => ({
  environment: environmentOf(ctx),
  ...{ by, member },
  from: new Date(`${from}T00:00:00Z`),
  to: new Date(Date.parse(`${to}T00:00:00Z`) + DAY_MS),
});

const dayKey = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

function readDay(text: string | undefined): number | undefined {
  if (text === undefined || !/^[12]\d{3}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(day) && dayKey(day) === text ? day : undefined;
}
