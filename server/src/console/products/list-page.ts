import { PRODUCT_TYPES } from "../../catalog/queries.ts";
import { type FoundProduct, searchProducts } from "../../catalog/search-products.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { faceValueText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { plainWord } from "../plain-word.ts";
import { type ConsoleContext, type ConsoleDeps, type ConsoleFace, may } from "../session.ts";
import { productPath } from "./load-product.ts";

const PER_PAGE = 50;
const TEXT_MAX_CHARACTERS = 255;

type Listed = { products: FoundProduct[]; hasMore: boolean };

export function listPage(face: ConsoleFace, { db }: ConsoleDeps): void {
  face.page({
    path: "/products",
    permission: "products.read",
    load: (ctx) => {
      const { q, type, hidden } = asked(ctx);
      return searchProducts(db, {
        words: q.split(/\s+/).filter((word) => word !== ""),
        type,
        hidden,
        afterId: ctx.query.cursor ?? "",
        limit: PER_PAGE,
      });
    },
    render: renderProducts,
  });
}

const asked = ({ query }: ConsoleContext) => ({
  q: query.q?.trim().slice(0, TEXT_MAX_CHARACTERS) ?? "",
  type: PRODUCT_TYPES.find((type) => type === query.type),
  hidden: query.hidden === "yes" ? true : query.hidden === "no" ? false : undefined,
});

const renderProducts = ({ products, hasMore }: Listed, ctx: ConsoleContext): PageContent => {
  const { q, type } = asked(ctx);
  const hidden = ctx.query.hidden === "yes" || ctx.query.hidden === "no" ? ctx.query.hidden : undefined;
  return {
    title: "Products",
    actions: html`${linkButton("Export CSV", "/products.csv", { download: true })}${
      may(ctx, "prices.edit") ? linkButton("Import prices", "/products/import-prices") : undefined
    }${may(ctx, "products.manage") ? linkButton("Import products", "/products/import", { kind: "main" }) : undefined}`,
    body: tablePanel({
      caption: "Products",
      rows: products,
      columns: [
        {
          head: "Product",
          wraps: true,
          cell: ({ id, name }) => twoLines(html`<a href="${productPath(id)}">${name}</a>`, idText(id)),
        },
        { head: "Type", cell: ({ type: kind }) => plainWord(kind) },
        {
          head: "Face value",
          numeric: true,
          cell: (one) =>
            faceValueText({
              amount: one.faceValueAmount,
              currency: one.faceValueCurrency,
              unit: one.faceValueUnit,
              isMoney: one.faceValueIsMoney,
            }),
        },
        {
          head: "Prices",
          cell: ({ listPrices, resellerPrices }) =>
            listPrices + resellerPrices === 0
              ? html`<span class="quiet">none</span>`
              : `${listPrices} in lists, ${resellerPrices} own`,
        },
        { head: "Supply", cell: ({ supply }) => supplyChip(supply) },
        { head: "State", cell: stateChip },
      ],
      empty: nothing(q !== "" || type !== undefined || hidden !== undefined),
      filters: filterBar({
        action: "/products",
        filters: [
          { kind: "search", name: "q", label: "Search", value: q, placeholder: "Name or id" },
          {
            kind: "select",
            name: "type",
            label: "Type",
            value: type ?? "",
            options: PRODUCT_TYPES.map((one) => [one, plainWord(one)]),
          },
          {
            kind: "select",
            name: "hidden",
            label: "Hidden",
            value: hidden ?? "",
            options: [
              ["yes", "yes"],
              ["no", "no"],
            ],
          },
        ],
      }),
      pages: {
        path: href("/products", { q, type, hidden }),
        next: hasMore ? products.at(-1)?.id : undefined,
        hasFirst: ctx.query.cursor !== undefined,
        shown: `${products.length} ${products.length === 1 ? "product" : "products"}`,
      },
    }),
  };
};

export const supplyChip = (supply: FoundProduct["supply"]): Html =>
  supply === "available"
    ? chip("available", "good")
    : supply === "empty"
      ? chip("sold out", "warn")
      : chip("nobody supplies it", "quiet");

export const stateChip = ({ active, hidden }: { active: boolean; hidden: boolean }): Html =>
  hidden ? chip("hidden") : active ? chip("active") : chip("inactive", "quiet");

const nothing = (isFiltered: boolean): Html =>
  isFiltered
    ? emptyState(
        "No products match",
        "Use fewer words, or remove a filter.",
        linkButton("Clear filters", "/products"),
      )
    : emptyState(
        "No products yet",
        "Import a catalog file: CSV or JSON.",
        linkButton("Import products", "/products/import"),
      );
