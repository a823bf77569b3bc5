import type { Found } from "../../search/found.ts";
import type { Term } from "../../search/read-term.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button } from "../../web/parts/button.ts";
import { idText } from "../../web/parts/copy.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { facts, panel, row, stack } from "../../web/parts/panel.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import type { HasPage } from "../has-page.ts";
import { mayRead } from "../jobs/job-rights.ts";
import { plainWord, wordChip } from "../plain-word.ts";
import { type ConsoleContext, may } from "../session.ts";
import { pageOf } from "./search-links.ts";

type SearchData = { term: Term | undefined; found: readonly Found[] };

export function renderSearch(
  { term, found }: SearchData,
  hasPage: HasPage,
  ctx: ConsoleContext,
): PageContent {
  if (!term) return { title: "Search", body: panel({ title: "What can be found" }, HELP) };
  return {
    title: "Search",
    subtitle: html`for <b>${term.text}</b>`,
    body: stack(
      resultPanel(found, hasPage, ctx),
      may(ctx, "search.codes") && couldBeCode(term) ? codePanel(term.text, ctx) : undefined,
    ),
  };
}

/** What a search by a code found. The code itself is not on the page. */
export const renderFoundCode = (
  found: Found | undefined,
  hasPage: HasPage,
  ctx: ConsoleContext,
): PageContent => ({
  title: "Search by code",
  subtitle: "The search is in the activity log.",
  crumbs: [{ label: "Search", href: "/search" }],
  body: resultPanel(found ? [found] : [], hasPage, ctx),
});

const resultPanel = (found: readonly Found[], hasPage: HasPage, ctx: ConsoleContext): Html =>
  tablePanel({
    caption: "Results",
    rows: found,
    columns: [
      { head: "Kind", cell: ({ kind }) => plainWord(kind) },
      { head: "Found", cell: (one) => foundCell(one, hasPage, ctx), wraps: true },
      { head: "Status", cell: ({ status }) => (status === null ? "–" : wordChip(status)) },
      {
        head: "Reseller",
        cell: ({ kind, resellerName, environment }) =>
          resellerCell(kind === "reseller" ? null : resellerName, environment),
        wraps: true,
      },
    ],
    empty: emptyState(
      "Nothing found",
      "Ids, references, keys of orders and emails are compared as a whole. Names are found by the beginnings of their words.",
    ),
  });

function foundCell(found: Found, hasPage: HasPage, ctx: ConsoleContext): HtmlValue {
  const page = pageOf(found);
  // The title of a job is its kind.
  const isOpen = found.kind !== "job" || mayRead({ kind: found.title }, ctx);
  const link = page && isOpen && hasPage(page.pattern, ctx) ? page.to : undefined;
  const title = link === undefined ? found.title : html`<a class="link" href="${link}">${found.title}</a>`;
  return twoLines(title, idText(found.id));
}

const resellerCell = (name: string | null, environment: string | null): HtmlValue => {
  if (name === null) return "–";
  return environment === null ? name : twoLines(name, environment);
};

/** Ids of ours and email addresses are none. */
const couldBeCode = ({ prefix, unit, email }: Term): boolean => (prefix ?? unit ?? email) === undefined;

const codePanel = (text: string, ctx: ConsoleContext): Html =>
  panel(
    { title: "Is it a code?" },
    html`<form class="form" method="post" action="/search/code">${ctx.hidden()}<input type="hidden" name="code" value="${text}"><p>Finds the order or the stock that a code belongs to. You confirm that it is you, and the search is in the activity log. The code is compared by its digest and not shown.</p>${row(
      button("Search codes"),
    )}</form>`,
  );

const HELP = facts([
  [
    "Any id",
    "of an order, reseller, person, key, endpoint, event, delivery, request, entry, deposit, code, product or supplier",
  ],
  [
    "A unit or a purchase",
    html`<code>ord_….0.0</code> or <code>ord_….0.0.1</code>, our reference at a supplier`,
  ],
  ["An order", "by its reference or its idempotency key"],
  ["A supplier's reference", "of a purchase"],
  ["An API key", html`or its last four characters, such as <code>sc_live_…x7Qp</code>`],
  ["An email address", "of a person or a reseller"],
  ["Words of a name", "of a product, a reseller or a supplier; the beginning of each is enough"],
  ["A code", "with fresh proof, and logged"],
]);
