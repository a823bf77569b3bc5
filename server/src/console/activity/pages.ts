import { listPeople } from "../../accounts/people/list-people.ts";
import { nameEveryone } from "../../accounts/people/name-people.ts";
import { exportActivity } from "../../activity/export-activity.ts";
import { type ActivityReader, listActivity } from "../../activity/list-activity.ts";
import { nameResellers } from "../../resellers/name-resellers.ts";
import type { ConsoleContext, ConsoleDeps, ConsoleFace } from "../session.ts";
import { readActivityFilter } from "./activity-filter.ts";
import { type ActivityData, renderActivity } from "./activity-page.ts";

const ENTRIES_PER_PAGE = 50;
const EVERYTHING: ActivityReader = { kind: "staff" };

/** The whole log: what staff, users, keys, commands and Scrip itself did. */
export function activityPages(face: ConsoleFace, deps: ConsoleDeps): void {
  face.page({
    path: "/activity",
    permission: "activity.read",
    load: (ctx) => loadActivity(deps, ctx),
    render: renderActivity,
  });
  face.download({
    path: "/activity.csv",
    permission: "activity.read",
    load: async (ctx) => ({
      type: "text/csv; charset=utf-8",
      filename: "activity.csv",
      body: exportActivity(deps.db, EVERYTHING, readActivityFilter(ctx).filter),
    }),
  });
}

async function loadActivity({ db }: ConsoleDeps, ctx: ConsoleContext): Promise<ActivityData> {
  const asked = readActivityFilter(ctx);
  const [page, people] = await Promise.all([
    listActivity(db, EVERYTHING, asked.filter, { limit: ENTRIES_PER_PAGE, after: cursorOf(ctx) }),
    listPeople(db, { kind: "staff" }),
  ]);
  const [emails, resellers] = await Promise.all([
    nameEveryone(
      db,
      page.data.flatMap(({ actor, object }) => [actor.id ?? "", object.id]),
    ),
    nameResellers(
      db,
      page.data.flatMap(({ resellerId }) => resellerId ?? []),
    ),
  ]);
  return { page, asked, emails, resellers, staff: people.map(({ id, email }) => [id, email] as const) };
}

/** The id of the last entry of the page before. Anything else starts at the newest entry. */
const cursorOf = (ctx: ConsoleContext): string | undefined =>
  /^act_[0-9a-z]{1,40}$/.test(ctx.query.cursor ?? "") ? ctx.query.cursor : undefined;
