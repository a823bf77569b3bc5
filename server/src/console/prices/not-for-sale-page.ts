import {
  countNotForSale,
  findSaleLag,
  listNotForSale,
  type NotForSale,
  SALE_REASONS,
  SALE_WORDS,
  type SaleCount,
  type SaleFilter,
} from "../../pricing/not-for-sale.ts";
import { listWarned, type Warned } from "../../pricing/warn-about-reseller.ts";
import { listMissing, type Missing } from "../../reports/needs-queries.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText } from "../../web/parts/money.ts";
import { choice } from "../../web/parts/navigation.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { exactTime, time } from "../../web/parts/time.ts";
import { csvFile } from "../../web/table/csv-file.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { productPath } from "../products/load-product.ts";
import type { ConsoleContext, ConsoleDeps, ConsoleFace } from "../session.ts";

const PATH = "/not-for-sale";
const PER_PAGE = 50;
const PER_CSV_PAGE = 1_000;
const TEXT_MAX_CHARACTERS = 255;

type SaleData = {
  page: { data: NotForSale[]; next: string | undefined };
  counts: SaleCount[];
  lag: { lookedAt: Date | null } | undefined;
  warned: Warned[];
  missing: readonly Missing[];
};

/** What cannot be bought, and why. */
export function notForSalePages(face: ConsoleFace, deps: ConsoleDeps): void {
  const { db } = deps;
  face.page({
    path: PATH,
    permission: "products.read",
    async load(ctx) {
      const filter = filterOf(ctx);
      const [page, counts, lag, warned, missing] = await Promise.all([
        listNotForSale(db, filter, { after: ctx.query.cursor, limit: PER_PAGE }),
        countNotForSale(db, { ...filter, reason: undefined }),
        findSaleLag(db),
        listWarned({ ...deps, settings: deps.pricing }),
        listMissing(db),
      ]);
      return { page, counts, lag, warned, missing };
    },
    render: renderNotForSale,
  });
  face.download({
    path: `${PATH}.csv`,
    permission: "products.read",
    load: async (ctx) =>
      csvFile(
        "not-for-sale.csv",
        ["productId", "product", "priceList", "resellerId", "currency", "reason", "why", "since", "next"],
        linesOf(deps, filterOf(ctx)),
      ),
  });
}

/** A page at a time: a file of any size holds one page in memory. */
async function* linesOf({ db }: ConsoleDeps, filter: SaleFilter): AsyncGenerator<string[]> {
  let after: string | undefined;
  do {
    const page = await listNotForSale(db, filter, { after, limit: PER_CSV_PAGE });
    for (const one of page.data)
      yield [
        ...[one.productId, one.productName, one.priceList, one.resellerId, one.currency, one.reason],
        ...[SALE_WORDS[one.reason].label, one.since.toISOString(), SALE_WORDS[one.reason].next],
      ];
    after = page.next;
  } while (after !== undefined);
}

const askedOf = ({ query }: ConsoleContext) => {
  const read = (name: string): string =>
    query[name]?.trim().slice(0, TEXT_MAX_CHARACTERS).replaceAll("\0", "") ?? "";
  return { q: read("q"), list: read("list"), reseller: read("reseller"), reason: read("reason") };
};

function filterOf(ctx: ConsoleContext): SaleFilter {
  const { q, list, reseller, reason } = askedOf(ctx);
  return {
    words: q.split(/\s+/).filter((word) => word !== ""),
    priceList: list || undefined,
    resellerId: reseller || undefined,
    reason: SALE_REASONS.find((one) => one === reason),
  };
}

/** Where the next step of an entry is done. */
const nextPath = ({ productId, reason }: NotForSale): string => {
  const { path } = SALE_WORDS[reason];
  return path === "product" ? productPath(productId) : path;
};

/** The next step, where it is taken. */
export const nextLink = (one: NotForSale): Html =>
  html`<a class="link" href="${nextPath(one)}">${SALE_WORDS[one.reason].link}</a>`;

export const forWhom = ({ priceList, resellerId, resellerName, currency }: NotForSale): Html =>
  resellerId === ""
    ? html`list ${priceList}, ${currency}`
    : html`<a href="/resellers/${resellerId}">${resellerName ?? resellerId}</a>, ${currency}`;

const manyText = ({ products, isCut }: Pick<SaleCount, "products" | "isCut">): string =>
  `${countText(products)}${isCut ? "+" : ""}`;

/** How many products there are for each reason, each the way to its part of the list. */
export const saleLinks = (counts: readonly SaleCount[]): Html =>
  html`<ul>${counts.map(
    (one) =>
      html`<li><a class="link" href="${href(PATH, { reason: one.reason })}">${manyText(one)} ${
        one.products === 1 ? "product" : "products"
      }: ${SALE_WORDS[one.reason].label}</a></li>`,
  )}</ul>`;

const asOf = (lag: SaleData["lag"], now: Date): string => {
  if (lag === undefined) return `As of ${exactTime(now)}.`;
  return lag.lookedAt === null
    ? "A worker has not looked yet. Start one, or wait a moment."
    : `As of ${exactTime(lag.lookedAt)}. Later changes appear in a moment.`;
};

function renderNotForSale(
  { page, counts, lag, warned, missing }: SaleData,
  ctx: ConsoleContext,
): PageContent {
  const asked = askedOf(ctx);
  const { reason } = filterOf(ctx);
  const { reason: _, ...others } = asked;
  return {
    title: "Not for sale",
    subtitle: `What cannot be bought now, and why. ${asOf(lag, ctx.now)}`,
    actions: linkButton("Export CSV", href(`${PATH}.csv`, asked), { download: true }),
    body: stack(
      warned.map(warning),
      tablePanel({
        caption: "Not for sale",
        rows: page.data,
        group: (one) => SALE_WORDS[one.reason].label,
        columns: [
          {
            head: "Product",
            wraps: true,
            cell: ({ productId, productName }) =>
              twoLines(
                html`<a href="${productPath(productId)}">${productName}</a>`,
                html`<code>${productId}</code>`,
              ),
          },
          {
            head: "Why",
            wraps: true,
            cell: (one) =>
              twoLines(
                html`<span title="${one.reason}">${SALE_WORDS[one.reason].label}</span>`,
                forWhom(one),
              ),
          },
          { head: "What to do", cell: nextLink },
          { head: "Since", cell: ({ since }) => time(since, ctx.now) },
        ],
        empty: nothing(
          Object.values(asked).some((one) => one !== ""),
          { lag, missing },
        ),
        filters: html`${
          counts.length === 0
            ? undefined
            : choice("Why", [
                { label: "All", href: href(PATH, others), isCurrent: reason === undefined },
                ...counts.map((one) => ({
                  label: `${SALE_WORDS[one.reason].label} ${manyText(one)}`,
                  href: href(PATH, { ...others, reason: one.reason }),
                  isCurrent: one.reason === reason,
                })),
              ])
        }${filterBar({
          action: PATH,
          keep: { reason },
          filters: [
            { kind: "search", name: "q", label: "Search", value: asked.q, placeholder: "Name, brand or id" },
            { kind: "text", name: "list", label: "Price list", value: asked.list },
            {
              kind: "text",
              name: "reseller",
              label: "Reseller",
              value: asked.reseller,
              placeholder: "rsl_…",
            },
          ],
        })}`,
        pages: {
          path: href(PATH, asked),
          next: page.next,
          hasFirst: ctx.query.cursor !== undefined,
          shown: `${page.data.length} ${page.data.length === 1 ? "entry" : "entries"}`,
        },
      }),
    ),
  };
}

const warning = ({ id, name, warnings }: Warned): Html =>
  notice(
    "warn",
    `${name} sees an empty shop`,
    html`${warnings.map((one) => html`<p>${one}</p>`)}<p><a class="link" href="/resellers/${id}">Open the reseller</a></p>`,
  );

function nothing(isFiltered: boolean, { lag, missing }: Pick<SaleData, "lag" | "missing">): Html {
  if (isFiltered)
    return emptyState(
      "Nothing matches",
      "Use fewer words, or remove a filter.",
      linkButton("Clear filters", PATH),
    );
  // Without anybody who could buy, nothing is said about what can be bought.
  if (missing.includes("reseller"))
    return noReseller("What a reseller cannot buy appears here with the reason.");
  return lag?.lookedAt === null
    ? emptyState("Not known yet", "This list fills as soon as a worker has looked at the products.")
    : emptyState("Everything can be bought", "A product that leaves the shop appears here with the reason.");
}

export const noReseller = (then: string): Html =>
  emptyState(
    "No reseller yet",
    `Prices are made in the currencies of resellers. ${then}`,
    linkButton("New reseller", "/resellers/new"),
  );
