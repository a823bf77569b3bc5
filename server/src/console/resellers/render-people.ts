import type { Person } from "../../accounts/people/list-people.ts";
import type { ActivityEntry } from "../../activity/list-activity.ts";
import { here } from "../../web/pages/here.ts";
import { chip } from "../../web/parts/chip.ts";
import { shortId } from "../../web/parts/copy.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { type ConsoleContext, may } from "../session.ts";
import type { ResellerData } from "./load-reseller.ts";

export const peoplePanel = ({ people, reseller }: ResellerData, ctx: ConsoleContext): Html =>
  tablePanel<Person>({
    title: "People",
    aside: may(ctx, "resellers.manage")
      ? html`<a class="link" href="${here(ctx, `/resellers/${reseller.id}/invite`)}">Invite</a>`
      : undefined,
    caption: "People",
    rows: people,
    columns: [
      {
        head: "Person",
        wraps: true,
        cell: ({ email, name }) => (name === "" ? email : twoLines(name, email)),
      },
      { head: "Role", cell: ({ role, state }) => twoLines(role, chip(state)) },
      {
        head: "Last seen",
        cell: ({ lastSeenAt }) =>
          lastSeenAt ? time(lastSeenAt, ctx.now) : html`<span class="quiet">never</span>`,
      },
    ],
    empty: emptyState("Nobody yet", "Invite the owner, who invites the team and creates keys."),
  });

export const activityPanel = ({ activity, reseller, emails }: ResellerData, ctx: ConsoleContext): Html =>
  tablePanel<ActivityEntry>({
    title: "Activity",
    aside: html`<a class="link" href="${here(ctx, "/activity", { reseller: reseller.id })}">All</a>`,
    caption: "Newest activity",
    rows: activity,
    columns: [
      { head: "When", cell: ({ at }) => time(at, ctx.now) },
      {
        head: "What",
        wraps: true,
        cell: ({ action, actor }) =>
          twoLines(
            html`<code>${action}</code>`,
            emails.get(actor.id ?? "") ?? `${actor.kind} ${shortId(actor.id ?? "")}`,
          ),
      },
    ],
    empty: emptyState("Nothing yet", "What its people and the staff change appears here."),
  });
