import { listOpenAlerts } from "../../alerts/list-alerts.ts";
import { countToCredit } from "../../deposits/deposit-queries.ts";
import { countNotForSale } from "../../pricing/not-for-sale.ts";
import { findNeeds } from "../../reports/find-needs.ts";
import { COUNTED_MAX } from "../../reports/needs-queries.ts";
import { type OverviewSpan, readOverview } from "../../reports/read-overview.ts";
import { listWaiting } from "../../wallet/proposals/proposal.ts";
import { environmentOf } from "../../web/pages/here.ts";
import { DAY_MS, HOUR_MS } from "../reports/time-series.ts";
import type { ConsoleContext, ConsoleDeps, ConsoleFace } from "../session.ts";
import { ALERTS_AMONG_NEEDS } from "./list-needs.ts";
import { renderOverview } from "./render-overview.ts";

const HOURS_SHOWN = 48;
const DAYS_SHOWN = 30;

/** How the business goes, and what needs a person now. */
export function overviewPages(face: ConsoleFace, { db }: ConsoleDeps): void {
  face.page({
    path: "/",
    permission: "overview.read",
    async load(ctx) {
      const span = spanOf(ctx);
      const environment = environmentOf(ctx);
      const isLive = environment === "live";
      const [business, needs, toCredit, proposals, alerts, unsold] = await Promise.all([
        readOverview(db, environment, span, ctx.now),
        findNeeds(db, environment, ctx.now),
        countToCredit(db, { environment, now: ctx.now, max: COUNTED_MAX + 1 }),
        isLive ? listWaiting(db, ctx.now) : [],
        isLive ? listOpenAlerts(db, ALERTS_AMONG_NEEDS) : [],
        isLive ? countNotForSale(db) : [],
      ]);
      return { span, business, needs, toCredit, proposals, alerts, unsold };
    },
    render: renderOverview,
  });
}

/** Up to and with the hour or the day that it is. */
function spanOf({ query, now }: Pick<ConsoleContext, "query" | "now">): OverviewSpan {
  const by = query.by === "hour" ? "hour" : "day";
  const [step, count] = by === "hour" ? [HOUR_MS, HOURS_SHOWN] : [DAY_MS, DAYS_SHOWN];
  const to = (Math.floor(now.getTime() / step) + 1) * step;
  return { by, from: new Date(to - count * step), to: new Date(to) };
}
