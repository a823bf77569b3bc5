import type { ActivityFilter } from "../../activity/list-activity.ts";
import type { DashboardContext } from "../session.ts";

/** The filters of the address: as they were written, and as the verb wants them. */
export type AskedActivity = { query: Readonly<Record<string, string>>; filter: ActivityFilter };

const DAY_MS = 24 * 3_600_000;
const NAMES = ["who", "action", "from", "to"] as const;
const KINDS = ["key", "staff", "command", "system"] as const;

/** A filter that cannot be read is left out. The days from and to are both included. */
export function readActivityFilter(ctx: DashboardContext): AskedActivity {
  const query = Object.fromEntries(
    NAMES.flatMap((name) => {
      const value = ctx.query[name]?.trim().replaceAll("\0", "") ?? "";
      return value === "" ? [] : [[name, value]];
    }),
  );
  const kind = KINDS.find((known) => known === query.who);
  const to = dayOf(query.to);
  return {
    query,
    filter: {
      actor: query.who === undefined ? undefined : kind ? { kind } : { kind: "user", id: query.who },
      action: query.action,
      from: dayOf(query.from),
      to: to && new Date(to.getTime() + DAY_MS),
    },
  };
}

function dayOf(text: string | undefined): Date | undefined {
  if (text === undefined || !/^\d{4}-\d{2}-\d{2}$/.test(text)) return undefined;
  const day = new Date(`${text}T00:00:00Z`);
  return Number.isNaN(day.getTime()) ? undefined : day;
}
