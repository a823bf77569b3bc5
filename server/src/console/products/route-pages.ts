import { findCatalogProduct } from "../../catalog/product-queries.ts";
import { formatAmount } from "../../lib/money.ts";
import { sayPercent } from "../../lib/percent.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import { getSupplier } from "../../suppliers/get-supplier.ts";
import { getPriceGuard } from "../../suppliers/overcharges/price-limits.ts";
import { listSupplierNames } from "../../suppliers/queries.ts";
import { findKind } from "../../suppliers/registry.ts";
import { findRoute, listRouteRows, type RouteRow } from "../../suppliers/route-queries.ts";
import { PRIORITY_MAX, removeRoute, setRoute } from "../../suppliers/set-route.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { numberField } from "../../web/form/number-fields.ts";
import { currencyField, hiddenField, textareaField, textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { redirect } from "../../web/pages/define-page.ts";
import { button } from "../../web/parts/button.ts";
import { panel, row, stack } from "../../web/parts/panel.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { type OptionFields, sayRefusal } from "../say-refusal.ts";
import { byOf, type ConsoleContext, type ConsoleDeps, type ConsoleFace } from "../session.ts";
import { productPath } from "./load-product.ts";

const PRIORITY_DEFAULT = 100;
const FIELD_MAP_MAX_CHARACTERS = 1_000;
/** The options of `scrip supplier route` that its refusals name. */
const ROUTE_OPTIONS: OptionFields = {
  "--max-cost": { name: "maxCost", label: "At most" },
  "--value": { name: "value", label: "Face value" },
  "--map": { name: "fieldMap", label: "Names of input fields" },
};

const MOST_HINT = "What one unit may cost at most. Without it the cost is the limit.";

/** `mostHint`: what the chosen supplier does above the limit. */
const routeFormFor = (mostHint: string) =>
  defineForm({
    supplierId: hiddenField("Supplier"),
    priority: numberField({
      label: "Priority",
      required: true,
      min: 0,
      max: PRIORITY_MAX,
      hint: "The lowest is tried first.",
    }),
    cost: textField({
      label: "Cost",
      required: true,
      maxLength: 20,
      inputmode: "decimal",
      hint: "What one unit costs you, such as 8.10.",
    }),
    currency: currencyField({
      label: "Currency",
      hint: "Of the cost. Empty keeps it, or takes the product's currency.",
    }),
    maxCost: textField({
      label: "At most",
      maxLength: 20,
      inputmode: "decimal",
      hint: mostHint,
    }),
    sku: textField({
      label: "Their id",
      maxLength: 64,
      isCode: true,
      hint: "What the supplier calls the product. Empty keeps it, or takes our id.",
    }),
    value: textField({
      label: "Face value",
      maxLength: 20,
      inputmode: "decimal",
      hint: "What one unit is worth, such as 25.00. Only for suppliers that let you choose it.",
    }),
    fieldMap: textareaField({
      label: "Names of input fields",
      rows: 3,
      maxLength: FIELD_MAP_MAX_CHARACTERS,
      isCode: true,
      hint: "One line for each field that the supplier calls something else: our name, an equals sign, theirs, such as playerId=account_number.",
    }),
  });

const routeForm = routeFormFor(MOST_HINT);

/** What a supplier does with a purchase that costs more than the route allows. */
function mostHint({ name, kind, headroomBp }: ChosenSupplier): string {
  const known = findKind(kind);
  if (!known || known.hasOwnStock) return "Stock has no price that could change. Leave it empty.";
  const empty =
    known.canSyncCatalog && headroomBp > 0
      ? `Empty: the cost, and ${sayPercent(headroomBp)} more where the cost comes from its catalog.`
      : "Empty: the cost.";
  return known.refusesAbove
    ? `${name} is told this limit and refuses a purchase above it. ${empty}`
    : `${name} knows no limit: it sells and charges its own price. Scrip delivers that unit, then pauses this route. ${empty}`;
}

type ChosenSupplier = {
  id: string;
  name: string;
  kind: string;
  headroomBp: number;
  route: RouteRow | undefined;
};

type RouteData = {
  productId: string;
  productName: string;
  /** The chosen supplier, with its present route. */
  supplier: ChosenSupplier | undefined;
  suppliers: readonly { id: string; name: string }[];
};

export const routePath = (productId: string, supplierId?: string): string =>
  href(`${productPath(productId)}/routes`, supplierId === undefined ? {} : { supplier: supplierId });

/** Where a product is bought: set, change and remove routes. Money of resellers does not move here. */
export function routePages(face: ConsoleFace, deps: ConsoleDeps): void {
  const path = "/products/:id/routes";
  face.page({
    path,
    permission: "suppliers.manage",
    load: (ctx) => load(deps, ctx, ctx.query.supplier),
    render: (data, ctx) =>
      data.supplier ? renderRoute(data, data.supplier, startRoute(data), ctx) : renderChoice(data),
  });
  face.action({
    path,
    permission: "suppliers.manage",
    form: routeForm,
    async run(
      { supplierId, priority = PRIORITY_DEFAULT, cost, currency, maxCost, sku, value, fieldMap },
      ctx,
    ) {
      const productId = ctx.params.id ?? "";
      const input = {
        ...{ productId, supplierId, priority, cost },
        currency: currency === "" ? undefined : currency,
        maxCost: maxCost === "" ? null : maxCost,
        sku: sku === "" ? undefined : sku,
        value: value === "" ? undefined : value,
        fieldMap: readFieldMap(fieldMap),
      };
      await sayRefusal(setRoute(deps.db, deps.clock, input, byOf(ctx)), ROUTE_OPTIONS);
      const [saved] = await listRouteRows(deps.db, { productId, supplierId, after: undefined, limit: 1 });
      return redirect(
        productPath(productId),
        saved?.pause
          ? "The route was saved. It is paused: nothing is bought there until you choose Enable."
          : "The route was saved. The next purchase takes it.",
      );
    },
    again: (state, ctx) => showAgain(deps, state, ctx),
  });
  face.action({
    path: `${path}/remove`,
    permission: "suppliers.manage",
    form: defineForm({ supplierId: hiddenField("Supplier") }),
    async run({ supplierId }, ctx) {
      const productId = ctx.params.id ?? "";
      await sayRefusal(removeRoute(deps.db, deps.clock, { productId, supplierId }, byOf(ctx)));
      return redirect(productPath(productId), "The route was removed. Nothing more is bought there.");
    },
    again: (state, ctx) => showAgain(deps, state, ctx),
  });
}

async function showAgain(deps: ConsoleDeps, state: FormState, ctx: ConsoleContext): Promise<PageContent> {
  const data = await load(deps, ctx, state.typed.supplierId?.[0]);
  return data.supplier ? renderRoute(data, data.supplier, state, ctx) : renderChoice(data);
}

async function load(
  { db }: ConsoleDeps,
  ctx: ConsoleContext,
  supplierId: string | undefined,
): Promise<RouteData> {
  const productId = ctx.params.id ?? "";
  const product = productId.includes("\0") ? undefined : await findCatalogProduct(db, productId);
  if (!product) throw notFound();
  const suppliers = await listSupplierNames(db);
  const chosen = suppliers.find(({ id }) => id === supplierId);
  const supplier = chosen && {
    ...(await getSupplier(db, chosen.id)),
    headroomBp: (await getPriceGuard(db, chosen.id)).headroomBp,
    route: await findRoute(db, { productId, supplierId: chosen.id }),
  };
  return { productId, productName: product.name, supplier, suppliers };
}

function startRoute({ supplier }: RouteData): FormState {
  const route = supplier?.route;
  const amount = (minor: bigint | null | undefined): string =>
    minor == null || !route?.costCurrency ? "" : formatAmount(minor, route.costCurrency);
  return routeForm.start({
    supplierId: supplier?.id ?? "",
    priority: String(route?.priority ?? PRIORITY_DEFAULT),
    cost: amount(route?.costMinor),
    currency: route?.costCurrency ?? "",
    maxCost: amount(route?.maxCostMinor),
    sku: route?.sku ?? "",
    value: route?.value ?? "",
    fieldMap: Object.entries(route?.fieldMap ?? {})
      .map(([ours, theirs]) => `${ours}=${theirs}`)
      .sort()
      .join("\n"),
  });
}

/** What is on each line. Without any line every field keeps its name. */
function readFieldMap(text: string): Record<string, string> {
  const entries = text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line): [string, string] => {
      const at = line.indexOf("=");
      return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
    });
  if (new Set(entries.map(([ours]) => ours)).size < entries.length)
    throw fieldMapRefusal("One field has two lines. Leave one of them.");
  if (entries.some(([ours, theirs]) => ours === "" || theirs === ""))
    throw fieldMapRefusal("Each line must be like playerId=account_number.");
  return Object.fromEntries(entries);
}

const fieldMapRefusal = (detail: string): Problem =>
  new Problem("invalid_request", detail, { errors: [{ pointer: "/fieldMap", code: "invalid", detail }] });

const crumbsOf = ({ productId, productName }: RouteData) => [
  { label: "Products", href: "/products" },
  { label: productName, href: productPath(productId) },
];

const renderChoice = (data: RouteData): PageContent => ({
  title: "Add a route",
  subtitle: "Choose where the product is bought.",
  crumbs: crumbsOf(data),
  body: tablePanel({
    caption: "Suppliers",
    rows: data.suppliers,
    columns: [
      {
        head: "Supplier",
        cell: ({ id, name }) => html`<a class="link" href="${routePath(data.productId, id)}">${name}</a>`,
      },
    ],
    empty: html`<p>There is no supplier yet. <a class="link" href="/suppliers/new">Add one</a>.</p>`,
  }),
});

const renderRoute = (
  data: RouteData,
  supplier: ChosenSupplier,
  state: FormState,
  ctx: ConsoleContext,
): PageContent => {
  const { id, name, route } = supplier;
  return {
    title: route ? `Route to ${name}` : `Add a route to ${name}`,
    crumbs: crumbsOf(data),
    body: stack(
      panel(
        {},
        routeFormFor(mostHint(supplier)).render({
          action: routePath(data.productId),
          hidden: ctx.hidden(),
          state,
          submit: route ? "Save route" : "Add route",
          cancelHref: productPath(data.productId),
          id: "route",
        }),
      ),
      route
        ? panel(
            { title: "Remove" },
            html`<form method="post" action="${routePath(data.productId)}/remove">${ctx.hidden()}<input type="hidden" name="supplierId" value="${id}">${stack(
              html`<p>The product is no longer bought from ${name}. Open purchases are followed to their end. Codes in stock stay there and sell again once a route leads to them.</p>`,
              row(button("Remove route", { kind: "danger" })),
            )}</form>`,
          )
        : undefined,
    ),
  };
};
