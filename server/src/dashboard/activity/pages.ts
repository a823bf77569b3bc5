import { listPeople } from "../../accounts/people/list-people.ts";
import { exportActivity } from "../../activity/export-activity.ts";
import { type ActivityReader, listActivity } from "../../activity/list-activity.ts";
import { BASE, type DashboardContext, type DashboardDeps, type DashboardFace } from "../session.ts";
import { readActivityFilter } from "./activity-filter.ts";
import { type ActivityData, renderActivity } from "./activity-page.ts";

const ENTRIES_PER_PAGE = 50;

/** The reseller's log: what its people and keys did, and what the operator did for it. */
export function activityPages(face: DashboardFace, deps: DashboardDeps): void {
  face.page({
    path: `${BASE}/activity`,
    permission: "activity.read",
    load: (ctx) => loadActivity(deps, ctx),
    render: renderActivity,
  });
  face.download({
    path: `${BASE}/activity.csv`,
    permission: "activity.read",
    load: async (ctx) => ({
      type: "text/csv; charset=utf-8",
      filename: "activity.csv",
      body: exportActivity(deps.db, readerOf(ctx), readActivityFilter(ctx).filter),
    }),
  });
}

const readerOf = (ctx: DashboardContext): ActivityReader => ({
  kind: "reseller",
  resellerId: ctx.session.resellerId,
});

async function loadActivity(deps: DashboardDeps, ctx: DashboardContext): Promise<ActivityData> {
  const asked = readActivityFilter(ctx);
  const [page, people] = await Promise.all([
    listActivity(deps.db, readerOf(ctx), asked.filter, { limit: ENTRIES_PER_PAGE, after: cursorOf(ctx) }),
    listPeople(deps.db, { kind: "user", resellerId: ctx.session.resellerId }),
  ]);
  return { page, asked, emails: new Map(people.map(({ id, email }) => [id, email])) };
}

/** The id of the last entry of the page before. Anything else starts at the newest entry. */
const cursorOf = (ctx: DashboardContext): string | undefined =>
  /^act_[0-9a-z]{1,40}$/.test(ctx.query.cursor ?? "") ? ctx.query.cursor : undefined;
