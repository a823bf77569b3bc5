import { changeText } from "../../activity/change-text.ts";
import type { ActivityEntry, ActivityPage } from "../../activity/list-activity.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { csvLink } from "../../web/parts/button.ts";
import { idText, shortId } from "../../web/parts/copy.ts";
import { type Filter, filterBar } from "../../web/parts/filter-bar.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type HtmlValue, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import type { ConsoleContext } from "../session.ts";
import type { AskedActivity } from "./activity-filter.ts";

export type ActivityData = {
  page: ActivityPage;
  asked: AskedActivity;
  /** The email addresses of everyone on this page, and of the staff. */
  emails: ReadonlyMap<string, string>;
  resellers: ReadonlyMap<string, string>;
  staff: readonly (readonly [id: string, email: string])[];
};

const PATH = "/activity";

/** Who did what, over all resellers, newest first. */
export const renderActivity = (data: ActivityData, ctx: ConsoleContext): PageContent => {
  const { page, asked } = data;
  return {
    title: "Activity",
    subtitle: "Who changed what. Entries are never changed or removed.",
    ...(page.data.length > 0
      ? { actions: csvLink(here(ctx, `${PATH}.csv`, asked.query), "Export CSV") }
      : {}),
    body: tablePanel({
      caption: "Activity",
      rows: page.data,
      filters: filterBar({ action: PATH, filters: filtersOf(data) }),
      columns: [
        { head: "When", cell: ({ at }) => time(at, ctx.now) },
        { head: "Who", cell: (entry) => whoCell(entry, data), wraps: true },
        { head: "What", cell: ({ action }) => html`<code>${action}</code>` },
        { head: "On what", cell: (entry) => objectCell(entry, data), wraps: true },
        { head: "Change", cell: ({ before, after }) => changeText(before, after), wraps: true },
      ],
      empty: emptyState(
        "Nothing here",
        Object.keys(asked.query).length > 0
          ? "No entry matches these filters. Clear them to see everything."
          : "What people, keys and commands change appears on this page.",
      ),
      pages: {
        path: here(ctx, PATH, asked.query),
        next: page.nextAfter,
        hasFirst: ctx.query.cursor !== undefined,
        shown: `${page.data.length} ${page.data.length === 1 ? "entry" : "entries"}`,
      },
    }),
  };
};

const KINDS = [
  ["staff", "Any of the staff"],
  ["user", "Any user of a reseller"],
  ["key", "Any API key"],
  ["command", "The command scrip"],
  ["system", "Scrip itself"],
] as const;

function filtersOf({ asked: { query }, staff, emails }: ActivityData): Filter[] {
  const who = query.who ?? "";
  const listed = [...staff, ...KINDS];
  const isListed = who === "" || listed.some(([value]) => value === who);
  return [
    {
      kind: "select",
      name: "who",
      label: "Who",
      value: who,
      options: isListed ? listed : [[who, emails.get(who) ?? shortId(who)], ...listed],
    },
    { kind: "text", name: "action", label: "What", value: query.action ?? "", placeholder: "key.created" },
    { kind: "text", name: "object", label: "On what", value: query.object ?? "", placeholder: "any id" },
    { kind: "text", name: "reseller", label: "Reseller", value: query.reseller ?? "", placeholder: "rsl_…" },
    { kind: "date", name: "from", label: "From", value: query.from ?? "" },
    { kind: "date", name: "to", label: "To", value: query.to ?? "" },
  ];
}

const ACTORS: Readonly<Record<string, string>> = { command: "scrip (command)", system: "Scrip itself" };

const whoCell = (
  { actor: { kind, id = "" }, address }: ActivityEntry,
  { emails }: ActivityData,
): HtmlValue => {
  const name = ACTORS[kind] ?? emails.get(id) ?? html`${kind} <code title="${id}">${shortId(id)}</code>`;
  const linked =
    ACTORS[kind] === undefined ? html`<a class="link" href="${href(PATH, { who: id })}">${name}</a>` : name;
  const where = address === undefined ? undefined : html`<code>${address}</code>`;
  const about = kind === "staff" || kind === "user" ? html`${kind}${where && html` · ${where}`}` : where;
  return about === undefined ? linked : twoLines(linked, about);
};

const objectCell = (
  { object: { kind, id }, environment, resellerId }: ActivityEntry,
  { emails, resellers }: ActivityData,
): HtmlValue => {
  const name = emails.get(id) ?? idText(id, { short: true, href: href(PATH, { object: id }) });
  const whose =
    resellerId === undefined
      ? undefined
      : html` · <a class="link" href="${href(PATH, { reseller: resellerId })}">${resellers.get(resellerId) ?? resellerId}</a>`;
  return twoLines(name, html`${kind}${environment && ` · ${environment}`}${whose}`);
};
