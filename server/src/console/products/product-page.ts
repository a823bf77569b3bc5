import { DETAIL_NAMES, titleOf } from "../../catalog/product-details.ts";
import { SALE_WORDS } from "../../pricing/not-for-sale.ts";
import type { PurchaseHealth } from "../../suppliers/health-queries.ts";
import type { ListedRouteRow } from "../../suppliers/route-queries.ts";
import { COUNTED_MAX } from "../../suppliers/stock/list-stock.ts";
import { radioField } from "../../web/form/choice-fields.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText, faceValueText, money, moneyText } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, row, type StatTile, stack, statTiles } from "../../web/parts/panel.ts";
import { spanText, time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { plainWord } from "../plain-word.ts";
import { forWhom, nextLink } from "../prices/not-for-sale-page.ts";
import { marginLink } from "../reports/margin-link.ts";
import { type ConsoleContext, may } from "../session.ts";
import { mostOf, routeState } from "../suppliers/route-state.ts";
import { stateChip } from "./list-page.ts";
import { type ProductData, productPath, UNLISTED_MAX } from "./load-product.ts";
import { routePath } from "./route-pages.ts";

export const listingForm = defineForm({
  resellerId: textField({
    label: "Reseller",
    hint: "An id, such as rsl_…",
    required: true,
    maxLength: 64,
    isCode: true,
  }),
  listed: radioField({
    label: "Listed",
    choices: [
      { value: "yes", label: "List it", hint: "They see it again." },
      { value: "no", label: "Unlist it", hint: "To them it does not exist, from their next request on." },
    ],
  }),
});

export function renderProduct(
  data: ProductData,
  ctx: ConsoleContext,
  error?: string,
  listing: FormState = listingForm.start({ listed: "no" }),
): PageContent {
  const { product } = data;
  const path = productPath(product.id);
  return {
    title: product.name,
    crumbs: [{ label: "Products", href: "/products" }],
    subtitle: idText(product.id),
    ...(may(ctx, "products.manage") ? { actions: linkButton("Edit", `${path}/edit`) } : {}),
    body: stack(
      error === undefined ? undefined : notice("bad", error),
      statTiles([...healthTiles(data.health), stockTile(data)]),
      columns(
        [unsoldPanel(data, ctx), routesPanel(data, ctx), pricesPanel(data)],
        [
          panel({ title: "Product", aside: stateChip(product) }, facts(productFacts(data, ctx))),
          visibility(data, ctx),
          listingPanel(data, listing, ctx),
        ],
      ),
    ),
  };
}

/** Of the last 7 days. */
export const healthTiles = ({
  purchases,
  delivered,
  refused,
  notMade,
  medianMs,
  p95Ms,
}: PurchaseHealth): StatTile[] => {
  const ended = delivered + refused + notMade;
  const note = `${countText(purchases)} purchases in 7 days`;
  const spanOf = (ms: number | null): string => (ms === null ? "–" : ms < 1_000 ? `${ms} ms` : spanText(ms));
  return [
    { label: "Success rate", value: ended === 0 ? "–" : `${((delivered * 100) / ended).toFixed(1)} %`, note },
    {
      label: "Median time to fulfil",
      value: spanOf(medianMs),
      ...(p95Ms === null ? {} : { note: `1 of 20 takes more than ${spanOf(p95Ms)}` }),
    },
  ];
};

function stockTile({ stock }: ProductData): StatTile {
  const sum = stock.reduce((total, { available }) => total + available, 0);
  const isCut = stock.some(({ available }) => available >= COUNTED_MAX);
  if (stock.length === 0) return { label: "Stock", value: "–", note: "not sold from stock" };
  const worth = stock.flatMap(({ value }) => value.map(({ currency, minor }) => moneyText(minor, currency)));
  return {
    ...{ label: "Stock", value: `${countText(sum)}${isCut ? "+" : ""}`, unit: "codes", href: "/stock" },
    ...(worth.length === 0 ? {} : { note: `cost ${worth.join(", ")}` }),
  };
}

const productFacts = ({ product, margins }: ProductData, ctx: ConsoleContext): [string, HtmlValue][] => [
  ...(may(ctx, "reports.read")
    ? [["Margin, 30 days", marginLink(margins, "product", product.id, ctx)] as [string, HtmlValue]]
    : []),
  ["Type", plainWord(product.type)],
  ["Face value", faceValueText(product.faceValue)],
  ["Sold in", product.faceValue.currency],
  ["Bonus", product.bonus === "" ? "none" : product.bonus],
  ["Quantity", `${product.minQuantity} to ${product.maxQuantity}`],
  [
    "Input fields",
    product.inputFields.length === 0 ? "none" : product.inputFields.map(({ key }) => key).join(", "),
  ],
  ...DETAIL_NAMES.flatMap((name): [string, HtmlValue][] => {
    const text = product[name];
    return text === undefined ? [] : [[titleOf(name), text]];
  }),
];

const routesPanel = ({ routes, product }: ProductData, ctx: ConsoleContext): Html =>
  tablePanel({
    title: "Routes",
    aside: may(ctx, "suppliers.manage")
      ? html`<a class="link" href="${routePath(product.id)}">Add a route</a>`
      : undefined,
    caption: "Routes",
    rows: routes.toSorted((one, other) => one.priority - other.priority),
    columns: [
      {
        head: "Supplier",
        wraps: true,
        cell: ({ supplierId, supplierName }) => html`<a href="/suppliers/${supplierId}">${supplierName}</a>`,
      },
      { head: "State", wraps: true, cell: (route) => routeState(route, ctx, "products") },
      { head: "Priority", numeric: true, cell: ({ priority }) => String(priority) },
      {
        head: "Cost",
        numeric: true,
        cell: ({ costMinor, costCurrency }) =>
          costMinor === null || costCurrency === null ? "unknown" : money(costMinor, costCurrency),
      },
      { head: "At most", numeric: true, cell: mostOf },
      ...(may(ctx, "suppliers.manage")
        ? [
            {
              head: html`<span class="hidden">Actions</span>`,
              cell: ({ supplierId }: ListedRouteRow) =>
                html`<a class="link" href="${routePath(product.id, supplierId)}">Edit</a>`,
            },
          ]
        : []),
    ],
    empty: emptyState("No routes", "Nothing can be bought live. Import stock, or add a route to a supplier."),
  });

/** Nothing where everyone can buy it. */
const unsoldPanel = ({ unsold, product }: ProductData, ctx: ConsoleContext): Html | undefined =>
  unsold.length === 0
    ? undefined
    : tablePanel({
        title: "Not for sale",
        caption: "Not for sale",
        aside: html`<a class="link" href="/not-for-sale?q=${encodeURIComponent(product.id)}">Whole list</a>`,
        rows: unsold,
        columns: [
          { head: "For", cell: forWhom },
          {
            head: "Why",
            wraps: true,
            cell: ({ reason, sentence }) => twoLines(SALE_WORDS[reason].label, sentence),
          },
          {
            head: "What to do",
            cell: (one) =>
              SALE_WORDS[one.reason].path === "product"
                ? `${SALE_WORDS[one.reason].link}, below`
                : nextLink(one),
          },
          { head: "Since", cell: ({ since }) => time(since, ctx.now) },
        ],
        empty: html``,
      });

const pricesPanel = ({ prices, unsold }: ProductData): Html =>
  tablePanel({
    title: "Prices",
    caption: "Prices",
    rows: prices,
    columns: [
      {
        head: "For",
        cell: ({ resellerId, priceList }) =>
          resellerId === null
            ? `list ${priceList}`
            : html`<a href="/resellers/${resellerId}">${resellerId}</a>`,
      },
      { head: "Price", numeric: true, cell: ({ amountMinor, currency }) => money(amountMinor, currency) },
      {
        head: "Before",
        numeric: true,
        cell: ({ strikeMinor, currency }) =>
          strikeMinor === null ? undefined : money(strikeMinor, currency),
      },
    ],
    empty: emptyState(
      "No prices",
      unsold.length === 0
        ? html`Set a rule under <a class="link" href="/prices">Prices</a>, or import prices.`
        : "The reason is above, for each price list.",
    ),
  });

function visibility({ product }: ProductData, ctx: ConsoleContext): Html | undefined {
  if (!may(ctx, "products.manage")) return undefined;
  const sentence = product.hidden
    ? "No reseller sees this product. Showing it again takes effect with their next request."
    : "Hiding it takes it from every reseller's catalog with their next request. Orders that were accepted go on.";
  return panel(
    { title: product.hidden ? "Hidden" : "Visible" },
    html`<form method="post" action="${`${productPath(product.id)}/hidden`}">${ctx.hidden()}<input type="hidden" name="hidden" value="${product.hidden ? "no" : "yes"}">${stack(
      html`<p>${sentence}</p>`,
      row(button(product.hidden ? "Show product" : "Hide product", product.hidden ? {} : { kind: "danger" })),
    )}</form>`,
  );
}

function listingPanel({ product, unlisted }: ProductData, state: FormState, ctx: ConsoleContext): Html {
  const names = unlisted.map(
    ({ resellerId, resellerName }) => html`<li><a href="/resellers/${resellerId}">${resellerName}</a></li>`,
  );
  const list =
    unlisted.length === 0
      ? html`<p>Every reseller sees it.</p>`
      : html`<p>Not listed for${unlisted.length >= UNLISTED_MAX ? " (the first 100)" : ""}:</p><ul>${names}</ul>`;
  const form = may(ctx, "products.manage")
    ? listingForm.render({
        action: `${productPath(product.id)}/listing`,
        hidden: ctx.hidden(),
        state,
        submit: "Save",
        id: "listing",
      })
    : undefined;
  return panel({ title: "Listing" }, stack(list, form));
}
