import type { Asked } from "../http/query.ts";
import type { DashboardContext } from "./session.ts";

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** What the filters of a page hold, as text. What is absent is empty. */
export const filtersOf = <Name extends string>(
  ctx: Pick<DashboardContext, "query">,
  names: readonly Name[],
): Record<Name, string> =>
  Object.fromEntries(names.map((name) => [name, ctx.query[name]?.trim() ?? ""])) as Record<Name, string>;

/**
 * The parameters of a list verb, made of a page's own address. A form sends every filter, so empty ones are left out. `from` and
 * `to` are days in UTC, the last one included.
 */
export function askedOf(
  ctx: Pick<DashboardContext, "query">,
  filters: Readonly<Record<string, string>>,
): Asked {
  const { from = "", to = "", ...others } = filters;
  const query = {
    ...others,
    createdFrom: DAY.test(from) ? `${from}T00:00:00Z` : from,
    createdTo: DAY.test(to) ? dayAfter(to) : to,
    cursor: ctx.query.cursor ?? "",
  };
  return { query: Object.fromEntries(Object.entries(query).filter(([, text]) => text !== "")), url: "" };
}

/** A day that is not in the calendar stays as it is, for the verb to refuse. */
function dayAfter(day: string): string {
  const start = new Date(`${day}T00:00:00Z`).getTime();
  return Number.isNaN(start) ? day : new Date(start + DAY_MS).toISOString();
}
