import type { InputFieldSpec } from "../../catalog/input-field-spec.ts";
import { DETAIL_NAMES, titleOf } from "../../catalog/product-details.ts";
import type { CatalogEntry } from "../../catalog/search-catalog.ts";
import type { FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText, faceValueText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { columns, facts, panel } from "../../web/parts/panel.ts";
import { spanText } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { BASE, type DashboardContext, here } from "../session.ts";
import {
  availabilityChip,
  CATALOG_PATH,
  discountText,
  mayTry,
  priceCell,
  productHref,
} from "./catalog-page.ts";
import { tryForm } from "./try-form.ts";

/** One product, and the form that tries it. */
export const renderProduct = (
  product: CatalogEntry,
  state: FormState,
  ctx: DashboardContext,
): PageContent => ({
  title: product.name,
  crumbs: [{ label: "Catalog", href: here(ctx, CATALOG_PATH) }],
  subtitle: idText(product.id),
  actions: linkButton("Orders of this product", here(ctx, `${BASE}/orders`, { productId: product.id })),
  body: columns(
    [panel({ title: "Product" }, facts(about(product))), inputsPanel(product)],
    tryPanel(product, state, ctx),
  ),
});

const about = (product: CatalogEntry): (readonly [string, HtmlValue])[] => [
  ["Availability", availabilityChip(product.availability)],
  ["Type", product.type],
  ["Face value", html`<span class="money">${faceValueText(product.faceValue)}</span>`],
  ["Price", priceCell(product)],
  ...(product.discountPermille === undefined
    ? []
    : [["Discount", discountText(product.discountPermille)] as const]),
  ...(product.bonus === "" ? [] : [["Bonus", product.bonus] as const]),
  [
    "Quantity per line",
    product.minQuantity === product.maxQuantity
      ? countText(product.minQuantity)
      : `${countText(product.minQuantity)} to ${countText(product.maxQuantity)}`,
  ],
  ...(product.deliverySeconds === undefined
    ? []
    : [["Delivery", `95 % of orders within ${spanText(product.deliverySeconds * 1_000)}`] as const]),
  ...DETAIL_NAMES.flatMap((name) => {
    const text = product.details[name];
    return text === undefined ? [] : [[titleOf(name), text] as const];
  }),
];

const inputsPanel = ({ inputFields }: CatalogEntry): Html =>
  tablePanel({
    title: "Input fields",
    caption: "Input fields",
    rows: inputFields,
    empty: emptyState("None", "An order for this product needs a quantity and nothing else."),
    columns: [
      { head: "Key", cell: ({ key }) => html`<span class="id">${key}</span>` },
      { head: "Type", cell: ({ type }) => type },
      { head: "Required", cell: ({ required }) => (required ? "yes" : "no") },
      { head: "Accepts", wraps: true, cell: acceptsOf },
    ],
  });

const OPTIONS_SHOWN_MAX = 8;

function acceptsOf({ type, regex, options }: InputFieldSpec): HtmlValue {
  if (type !== "select") return regex === "" ? `any ${type}` : html`<code>${regex}</code>`;
  const shown = options.slice(0, OPTIONS_SHOWN_MAX).map(({ label }) => label);
  const more = options.length - shown.length;
  return more > 0 ? `${shown.join(", ")} and ${more} more` : shown.join(", ");
}

function tryPanel(product: CatalogEntry, state: FormState, ctx: DashboardContext): Html {
  if (!mayTry(ctx))
    return panel(
      { title: "Try it" },
      html`<p class="quiet">Owners and developers of your team can place test orders here.</p>`,
    );
  if (product.priceMinor === undefined)
    return panel(
      { title: "Try it" },
      html`<p class="quiet">This product has no price yet, so it cannot be ordered.</p>`,
    );
  const form = tryForm(product).render({
    id: "try",
    action: tryAction(product, ctx),
    hidden: ctx.hidden({ once: true }),
    state,
    submit: "Place test order",
    note: html`<p class="quiet">This places a test order. It is paid from the test wallet and delivers codes that start with TEST-. Nothing real is bought.</p>`,
  });
  return panel({ title: "Try it", aside: chip("test", "warn") }, form);
}

const tryAction = ({ id }: CatalogEntry, ctx: DashboardContext): string => {
  const [path = "", query] = productHref(ctx, id).split("?");
  return `${path}/try${query === undefined ? "" : `?${query}`}`;
};
