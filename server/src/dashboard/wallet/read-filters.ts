import type { EntryType } from "../../wallet/entry.ts";
import type { EntryFilters } from "../../wallet/queries.ts";
import type { DashboardContext } from "../session.ts";

export const ENTRY_TYPES: readonly EntryType[] = ["deposit", "order", "refund", "adjustment"];
const DAY_MS = 86_400_000;

/** The filters in the address, as they are typed there. What is no filter of ours is left out. */
export type TypedFilters = { type: string; orderId: string; from: string; to: string };

export const typedFilters = ({ query }: Pick<DashboardContext, "query">): TypedFilters => ({
  type: ENTRY_TYPES.find((type) => type === query.type) ?? "",
  orderId: (query.orderId ?? "").trim().replaceAll("\0", ""),
  from: readDay(query.from) ? (query.from ?? "") : "",
  to: readDay(query.to) ? (query.to ?? "") : "",
});

/** Both days are included, in UTC. */
export function toFilters({ type, orderId, from, to }: TypedFilters): EntryFilters {
  const last = readDay(to);
  return {
    type: ENTRY_TYPES.find((known) => known === type),
    orderId: orderId === "" ? undefined : orderId,
    createdFrom: readDay(from),
    createdTo: last && new Date(last.getTime() + DAY_MS),
  };
}

function readDay(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text) ? day : undefined;
}

/** A month in UTC: its first day, and how many it has. */
export type Month = { text: string; first: Date; days: number };

/** The month in the address, or this one. */
export function readMonth(text: string | undefined, now: Date): Month {
  const [year, month] = (/^\d{4}-(0[1-9]|1[0-2])$/.test(text ?? "") ? (text ?? "") : now.toISOString())
    .slice(0, 7)
    .split("-")
    .map(Number) as [number, number];
  const first = new Date(Date.UTC(year, month - 1, 1));
  const next = new Date(Date.UTC(year, month, 1));
  const days = (next.getTime() - first.getTime()) / DAY_MS;
  return { text: first.toISOString().slice(0, 7), first, days };
}

/** The filters of a whole month. */
export const monthFilters = ({ first, days }: Month): EntryFilters => ({
  createdFrom: first,
  createdTo: new Date(first.getTime() + days * DAY_MS),
});

/** This month and those before it, newest first. */
export const lastMonths = (now: Date, count: number): Month[] =>
  Array.from({ length: count }, (_, ago) =>
    readMonth(
      new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - ago, 1)).toISOString().slice(0, 7),
      now,
    ),
  );
