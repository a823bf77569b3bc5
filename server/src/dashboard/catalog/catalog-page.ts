import { isPermitted } from "../../accounts/permissions.ts";
import {
  type CatalogFilters,
  hasFilters,
  QUERY_CHARACTERS_MAX,
  QUERY_WORDS_MAX,
  toFilterTexts,
} from "../../catalog/filters/catalog-filters.ts";
import { BRAND_CHARACTERS_MAX, CATEGORY_CHARACTERS_MAX } from "../../catalog/product-details.ts";
import { PRODUCT_TYPES } from "../../catalog/queries.ts";
import type { CatalogEntry, CatalogPage } from "../../catalog/search-catalog.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { faceValueText, money } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, here, placed } from "../session.ts";

export const CATALOG_PATH = `${BASE}/catalog`;

export const productHref = (ctx: DashboardContext, id: string): string =>
  here(ctx, `${CATALOG_PATH}/${encodeURIComponent(id)}`);

/** A value that does not exist is none, and a long text is cut. */
export function readCatalogQuery({ query }: DashboardContext): CatalogFilters {
  const read = (name: string, max: number): string | undefined =>
    query[name]?.replaceAll("\0", " ").trim().slice(0, max) || undefined;
  return {
    q: read("q", QUERY_CHARACTERS_MAX)?.split(/\s+/).slice(0, QUERY_WORDS_MAX).join(" "),
    type: PRODUCT_TYPES.find((type) => type === query.type),
    brand: read("brand", BRAND_CHARACTERS_MAX),
    category: read("category", CATEGORY_CHARACTERS_MAX),
    country: read("country", 2)?.toUpperCase(),
    purchasable: PURCHASABLE.get(query.purchasable ?? ""),
  };
}

const PURCHASABLE: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

export const mayTry = ({ session }: DashboardContext): boolean =>
  isPermitted({ kind: "user", role: session.role }, "orders.test");

export function renderCatalog(
  { query, page }: { query: CatalogFilters; page: CatalogPage },
  ctx: DashboardContext,
): PageContent {
  return {
    title: "Catalog",
    ...(page.data.length === 0
      ? {}
      : {
          actions: linkButton("Export CSV", here(ctx, `${CATALOG_PATH}.csv`, toFilterTexts(query)), {
            download: true,
          }),
        }),
    body: tablePanel({
      caption: "Products",
      columns: columns(ctx, page.data),
      rows: page.data,
      empty: nothing(query, ctx),
      filters: filterBar({
        action: placed(ctx, CATALOG_PATH),
        keep: { env: ctx.query.env === "test" ? "test" : undefined },
        filters: [
          {
            kind: "search",
            name: "q",
            label: "Search",
            value: query.q ?? "",
            placeholder: "Name, brand or id",
          },
          {
            kind: "select",
            name: "type",
            label: "Type",
            value: query.type ?? "",
            options: PRODUCT_TYPES.map((type) => [type, type]),
          },
          { kind: "text", name: "brand", label: "Brand", value: query.brand ?? "" },
          { kind: "text", name: "category", label: "Category", value: query.category ?? "" },
          { kind: "text", name: "country", label: "Country", value: query.country ?? "", placeholder: "US" },
          {
            kind: "select",
            name: "purchasable",
            label: "Purchasable",
            value: String(query.purchasable ?? ""),
            options: [
              ["true", "yes"],
              ["false", "no"],
            ],
          },
        ],
      }),
      pages: {
        path: here(ctx, CATALOG_PATH, toFilterTexts(query)),
        next: page.nextAfterId,
        hasFirst: ctx.query.cursor !== undefined,
        shown: `${page.data.length} ${page.data.length === 1 ? "product" : "products"}`,
      },
    }),
  };
}

const columns = (ctx: DashboardContext, entries: readonly CatalogEntry[]): Column<CatalogEntry>[] => [
  {
    head: "Product",
    wraps: true,
    cell: ({ id, name }) => twoLines(html`<a href="${productHref(ctx, id)}">${name}</a>`, idText(id)),
  },
  ...(entries.some(({ details: { brand, category } }) => brand !== undefined || category !== undefined)
    ? [{ head: "Brand", wraps: true, cell: brandCell }]
    : []),
  { head: "Type", cell: ({ type }) => type },
  { head: "Face value", numeric: true, cell: faceValueCell },
  { head: "Price", numeric: true, cell: priceCell },
  { head: "Discount", numeric: true, cell: ({ discountPermille }) => discountText(discountPermille) },
  { head: "Availability", cell: ({ availability }) => availabilityChip(availability) },
  ...(mayTry(ctx)
    ? [
        {
          head: html`<span class="hidden">Try it</span>`,
          cell: (entry: CatalogEntry) => tryLink(entry, ctx),
        },
      ]
    : []),
];

const brandCell = ({ details: { brand, category } }: CatalogEntry): HtmlValue =>
  brand === undefined || category === undefined ? (brand ?? category) : twoLines(brand, category);

/** Any product with a price can be ordered in the sandbox. */
const tryLink = ({ id, name, priceMinor }: CatalogEntry, ctx: DashboardContext): HtmlValue =>
  priceMinor === undefined
    ? undefined
    : html`<a class="btn plain small" href="${`${productHref(ctx, id)}#try`}">Try it<span class="hidden">: ${name}</span></a>`;

const faceValueCell = (entry: CatalogEntry): Html => {
  const shown = html`<span class="money">${faceValueText(entry.faceValue)}</span>`;
  return entry.bonus === "" ? shown : twoLines(shown, `bonus: ${entry.bonus}`);
};

export function priceCell({ priceMinor, strikeMinor, currency }: CatalogEntry): Html {
  if (priceMinor === undefined) return html`<span class="quiet">no price yet</span>`;
  const price = money(priceMinor, currency);
  return strikeMinor === undefined
    ? price
    : twoLines(price, html`<s><span class="hidden">before: </span>${money(strikeMinor, currency)}</s>`);
}

const PERMILLE_PER_PERCENT = 10;

/** `7.5 %`. */
export const discountText = (permille: number | undefined): string | undefined =>
  permille === undefined ? undefined : `${(permille / PERMILLE_PER_PERCENT).toFixed(1)} %`;

export const availabilityChip = (availability: CatalogEntry["availability"]): Html =>
  availability === "product_not_purchasable" ? chip("not_purchasable", "quiet") : chip(availability);

function nothing(query: CatalogFilters, ctx: DashboardContext): Html {
  if (hasFilters(query) || ctx.query.cursor !== undefined)
    return emptyState(
      "No products match",
      "Use fewer words, or remove a filter.",
      linkButton("Clear filters", here(ctx, CATALOG_PATH)),
    );
  return emptyState(
    "No products yet",
    "Products appear here when they are listed for you. Ask the operator of this service.",
  );
}
