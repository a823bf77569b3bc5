import { changeText } from "../../activity/change-text.ts";
import type { ActivityEntry, ActivityPage } from "../../activity/list-activity.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { csvLink } from "../../web/parts/button.ts";
import { shortId } from "../../web/parts/copy.ts";
import { type Filter, filterBar } from "../../web/parts/filter-bar.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type HtmlValue, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, environmentOf, here, placed } from "../session.ts";
import type { AskedActivity } from "./activity-filter.ts";

export type ActivityData = { page: ActivityPage; asked: AskedActivity; emails: ReadonlyMap<string, string> };

const PATH = `${BASE}/activity`;

/** Who did what, newest first. */
export const renderActivity = (
  { page, asked, emails }: ActivityData,
  ctx: DashboardContext,
): PageContent => ({
  title: "Activity",
  subtitle: "Who changed what, live and test. Entries are never changed or removed.",
  ...(page.data.length > 0 ? { actions: csvLink(here(ctx, `${PATH}.csv`, asked.query), "Export CSV") } : {}),
  body: tablePanel({
    caption: "Activity",
    rows: page.data,
    filters: filterBar({
      action: placed(ctx, PATH),
      filters: filtersOf(asked, emails),
      keep: environmentOf(ctx) === "test" ? { env: "test" } : {},
    }),
    columns: [
      { head: "When", cell: ({ at }) => time(at, ctx.now) },
      { head: "Who", cell: ({ actor, address }) => whoCell(actor, address, emails), wraps: true },
      { head: "What", cell: ({ action }) => html`<code>${action}</code>` },
      {
        head: "On what",
        cell: ({ object, environment }) => objectCell(object, environment, emails),
        wraps: true,
      },
      { head: "Change", cell: ({ before, after }) => changeText(before, after), wraps: true },
    ],
    empty: emptyState(
      "Nothing here",
      Object.keys(asked.query).length > 0
        ? "No entry matches these filters. Clear them to see everything."
        : "What your team changes here, and what the operator changes for you, appears on this page.",
    ),
    pages: {
      path: here(ctx, PATH, asked.query),
      next: page.nextAfter,
      hasFirst: ctx.query.cursor !== undefined,
      shown: `${page.data.length} ${page.data.length === 1 ? "entry" : "entries"}`,
    },
  }),
});

const filtersOf = ({ query }: AskedActivity, emails: ReadonlyMap<string, string>): Filter[] => [
  {
    kind: "select",
    name: "who",
    label: "Who",
    value: query.who ?? "",
    options: [...[...emails].map(([id, email]) => [id, email] as const), ...KINDS],
  },
  { kind: "text", name: "action", label: "What", value: query.action ?? "", placeholder: "key.created" },
  { kind: "date", name: "from", label: "From", value: query.from ?? "" },
  { kind: "date", name: "to", label: "To", value: query.to ?? "" },
];

const KINDS = [
  ["key", "Any API key"],
  ["staff", "Operator"],
  ["command", "Operator (command)"],
  ["system", "Scrip itself"],
] as const;

const NAMES: Readonly<Record<string, string>> = {
  staff: "Operator",
  command: "Operator",
  system: "Scrip itself",
};

const whoCell = (
  { kind, id }: ActivityEntry["actor"],
  address: string | undefined,
  emails: ReadonlyMap<string, string>,
): HtmlValue => {
  const name = NAMES[kind] ?? emails.get(id ?? "") ?? `${kind} ${shortId(id ?? "")}`;
  return address === undefined ? name : twoLines(name, html`<code>${address}</code>`);
};

const objectCell = (
  { kind, id }: ActivityEntry["object"],
  environment: string | undefined,
  emails: ReadonlyMap<string, string>,
): HtmlValue => {
  const name = emails.get(id) ?? html`${kind} <code title="${id}">${shortId(id)}</code>`;
  return environment === undefined ? name : twoLines(name, environment);
};
