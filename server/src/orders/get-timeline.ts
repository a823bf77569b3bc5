import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import { notFound } from "../lib/problem.ts";
import { money } from "./order-view.ts";
import type { TimelineEntryView } from "./schemas.ts";
import { listTimelineRows, type TimelineRow } from "./timeline-queries.ts";

/** What happened to the caller's order, oldest first. Another's order is not found. */
export async function getTimeline(db: Db, tenant: Tenant, id: string): Promise<TimelineEntryView[]> {
  const rows = id.includes("\0") ? [] : await listTimelineRows(db, tenant, id);
  if (rows.length === 0) throw notFound();
  return rows.map(toView);
}

function toView(row: TimelineRow): TimelineEntryView {
  const { at, type, currency, amountMinor, ...rest } = row;
  const present = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null));
  return {
    at: at.toISOString(),
    type,
    ...present,
    ...(amountMinor === null ? {} : { amount: money(amountMinor, currency) }),
  };
}
