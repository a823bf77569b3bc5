import { durationText } from "../../lib/duration.ts";
import { formatAmount } from "../../lib/money.ts";
import type { RecentPurchase } from "../../suppliers/health-queries.ts";
import { findKind, refusesRepeats } from "../../suppliers/registry.ts";
import type { ListedRouteRow } from "../../suppliers/route-queries.ts";
import { HEALTH_MAX, type SupplierDetails } from "../../suppliers/supplier-health.ts";
import { defineForm, type FormState } from "../../web/form/define-form.ts";
import { numberField } from "../../web/form/number-fields.ts";
import { textField } from "../../web/form/text-fields.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button, linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText, faceValueText, money } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { columns, facts, panel, row, stack, statTiles } from "../../web/parts/panel.ts";
import { spanText, time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { plainWord } from "../plain-word.ts";
import { healthTiles } from "../products/product-page.ts";
import { type ConsoleContext, may } from "../session.ts";
import { configPath } from "./config-pages.ts";
import { kindName } from "./kind-name.ts";
import { priceLimitsPanel, sayDisabled } from "./price-limits.ts";
import { reconcilePath } from "./reconciliation-pages.ts";
import { supplierState } from "./render-suppliers.ts";
import { mostOf, routeState } from "./route-state.ts";
import { syncPath } from "./sync-pages.ts";

export const balanceForm = defineForm({
  amount: textField({
    label: "Alert below",
    hint: "An amount such as 500.00, in the currency of the balance. Empty for no alert.",
    maxLength: 20,
  }),
});

export const notFoundForm = defineForm({
  notFoundTimes: numberField({ label: "Look-ups", min: 1, max: 100, required: true }),
  notFoundOver: textField({
    label: "Over",
    hint: "The time from the first of these look-ups to the last, such as 15m.",
    maxLength: 10,
    required: true,
  }),
  resendAfter: textField({
    label: "Lag of its books",
    hint: "How late its books can show a purchase, such as 1m or 0. Until then Scrip sends nothing again, and no look-up counts.",
    maxLength: 10,
    required: true,
  }),
  notMadePerHour: numberField({
    label: "At most in an hour",
    min: 0,
    max: 100_000,
    hint: "So many purchases count as not made by themselves in an hour. Further ones wait for you on the page Unknown outcomes.",
    required: true,
  }),
});

export const renderSupplier = (
  supplier: SupplierDetails,
  ctx: ConsoleContext,
  {
    error,
    balance,
    limits,
    notFound,
  }: { error?: string | undefined; balance?: FormState; limits?: FormState; notFound?: FormState } = {},
): PageContent => ({
  title: supplier.name,
  crumbs: [{ label: "Suppliers", href: "/suppliers" }],
  subtitle: html`${kindName(supplier.kind)} · ${idText(supplier.id)}`,
  body: stack(
    error === undefined ? undefined : notice("bad", error),
    statTiles([
      ...healthTiles(supplier.health),
      { label: "Open purchases", value: countText(supplier.health.open), href: "/unknown" },
      { label: "Lost answers", value: countText(supplier.health.doubtful), note: "Scrip asks again" },
      {
        label: "Last error",
        value: supplier.lastError ? plainWord(supplier.lastError.errorClass) : "none",
        ...(supplier.lastError ? { note: time(supplier.lastError.at, ctx.now) } : {}),
      },
    ]),
    columns(
      [pausedPanel(supplier, ctx), recentPanel(supplier.recent, ctx), routesPanel(supplier)],
      [
        statePanel(supplier, ctx),
        connectionPanel(supplier, ctx),
        refusalsPanel(supplier),
        notFoundPanel(supplier, ctx, notFound),
        balancePanel(supplier, ctx, balance),
        priceLimitsPanel(supplier, ctx, limits),
      ],
    ),
  ),
});

function statePanel(supplier: SupplierDetails, ctx: ConsoleContext): Html {
  const { enabled, breaker } = supplier;
  const sentence = enabled
    ? "Disabling stops all new purchases here. Open purchases are followed to their end. Products that only this supplier has can no longer be bought."
    : "Enabling lets orders buy here again, by the priority of its routes.";
  const form = may(ctx, "suppliers.manage")
    ? html`<form method="post" action="${`/suppliers/${supplier.id}/state`}">${ctx.hidden()}<input type="hidden" name="enabled" value="${enabled ? "no" : "yes"}">${stack(
        html`<p>${sentence}</p>`,
        row(button(enabled ? "Disable" : "Enable", enabled ? { kind: "danger" } : {})),
      )}</form>`
    : undefined;
  return panel(
    { title: "State", aside: supplierState({ ...supplier, ...breaker }, ctx) },
    stack(
      sayDisabled(supplier, ctx),
      facts([
        ["Failures in a row", countText(breaker.consecutiveFailures)],
        ["Purchases per second", `at most ${supplier.ratePerSecond}`],
        ["Added", time(supplier.createdAt, ctx.now)],
      ]),
      form,
    ),
  );
}

/** A kind that only a newer version knows has no form here. */
function connectionPanel({ id, kind, hasOwnStock }: SupplierDetails, ctx: ConsoleContext): Html | undefined {
  const mayManage = may(ctx, "suppliers.manage");
  const mayReconcile = may(ctx, "reconciliation.manage");
  if (hasOwnStock || !(mayManage || mayReconcile) || !findKind(kind)) return undefined;
  return panel(
    { title: "Connection" },
    stack(
      mayManage
        ? html`<form method="post" action="${`/suppliers/${id}/test`}">${ctx.hidden()}${stack(
            html`<p>A test signs in and reads the balance. It buys nothing.</p>`,
            row(button("Test connection"), linkButton("Replace config", configPath(id, kind))),
          )}</form>`
        : undefined,
      row(
        mayManage && findKind(kind)?.canSyncCatalog ? linkButton("Catalog", syncPath(id)) : undefined,
        mayReconcile ? linkButton("Reconcile", reconcilePath(id)) : undefined,
      ),
    ),
  );
}

const refusalsPanel = ({ refusals, health }: SupplierDetails): Html =>
  tablePanel({
    title: "Refusals in 7 days",
    caption: "Refusals by class",
    rows: refusals,
    columns: [
      { head: "Class", cell: ({ failureCode }) => plainWord(failureCode) },
      { head: "Purchases", numeric: true, cell: ({ count }) => countText(count) },
    ],
    empty: emptyState(
      "No refusals",
      health.purchases === 0
        ? "Nothing was bought here in 7 days."
        : "Every purchase that ended was delivered.",
    ),
    ...(health.purchases >= HEALTH_MAX ? { aside: `of the newest ${countText(HEALTH_MAX)} purchases` } : {}),
  });

function balancePanel(
  { id, hasOwnStock, balance }: SupplierDetails,
  ctx: ConsoleContext,
  state: FormState | undefined,
): Html | undefined {
  if (hasOwnStock) return undefined;
  const { balanceMinor, currency, balanceAt, lowMinor } = balance;
  const known: [string, HtmlValue][] =
    balanceMinor === null || currency === null || balanceAt === null
      ? [["Balance", "Not known yet. Scrip asks the supplier every 5 minutes."]]
      : [
          ["Balance", money(balanceMinor, currency)],
          ["As of", time(balanceAt, ctx.now)],
          ["Alert below", lowMinor === null ? "no alert" : money(lowMinor, currency)],
        ];
  const typed = lowMinor === null || currency === null ? "" : formatAmount(lowMinor, currency);
  const form =
    currency !== null && may(ctx, "suppliers.manage")
      ? balanceForm.render({
          action: `/suppliers/${id}/balance-alert`,
          hidden: ctx.hidden(),
          state: state ?? balanceForm.start({ amount: typed }),
          submit: "Save",
          id: "balance",
        })
      : undefined;
  return panel({ title: "Balance" }, stack(facts(known), form));
}

function notFoundPanel(
  { id, kind, notFound }: SupplierDetails,
  ctx: ConsoleContext,
  state: FormState | undefined,
): Html | undefined {
  if (!notFound) return undefined;
  const { times, overMs, resendAfterMs, perHour } = notFound;
  const typed = {
    notFoundTimes: String(times),
    notFoundOver: durationText(overMs),
    resendAfter: durationText(resendAfterMs),
    notMadePerHour: String(perHour),
  };
  const form = may(ctx, "suppliers.manage")
    ? notFoundForm.render({
        action: `/suppliers/${id}/not-found`,
        hidden: ctx.hidden(),
        state: state ?? notFoundForm.start(typed),
        submit: "Save",
        id: "not-found",
      })
    : facts([
        ["Look-ups", String(times)],
        ["Over", typed.notFoundOver],
        ["Lag of its books", typed.resendAfter],
        ["In an hour", `at most ${perHour}`],
      ]);
  const repeats = refusesRepeats(kind)
    ? "This supplier refuses a repeated reference, so nothing can be bought twice."
    : "This supplier does not promise to refuse a repeated reference. If its books lag for longer than you say here, it can sell one purchase twice. A reconciliation finds that.";
  return panel(
    { title: "Purchases it does not find" },
    stack(
      html`<p>Until the supplier finds a purchase, Scrip looks it up and sends it again. After so many look-ups it counts as not made: Scrip tries the next route, or pays the reseller back. A code that still arrives goes to quarantine. ${repeats}</p>`,
      form,
    ),
  );
}

const recentPanel = (recent: readonly RecentPurchase[], ctx: ConsoleContext): Html =>
  tablePanel({
    title: "Latest purchases",
    caption: "Latest purchases",
    rows: recent,
    columns: [
      { head: "Opened", cell: ({ openedAt }) => time(openedAt, ctx.now) },
      { head: "Order", cell: ({ orderId }) => idText(orderId, { href: `/orders/${orderId}`, short: true }) },
      { head: "Product", cell: ({ productId }) => html`<a href="/products/${productId}">${productId}</a>` },
      { head: "Outcome", wraps: true, cell: outcomeCell },
      {
        head: "Took",
        numeric: true,
        cell: ({ openedAt, resolvedAt }) =>
          resolvedAt ? tookText(resolvedAt.getTime() - openedAt.getTime()) : "–",
      },
    ],
    empty: emptyState("No purchases yet", "A purchase is made when an order takes a route to this supplier."),
  });

const tookText = (ms: number): string => (ms < 1_000 ? `${ms} ms` : spanText(ms));

const outcomeCell = ({ status, failureCode, doubtful, sends, looks }: RecentPurchase): Html =>
  twoLines(
    status === "open" ? chip("unknown") : status === "not_made" ? chip("not made", "quiet") : chip(status),
    [
      ...(failureCode === null ? [] : [plainWord(failureCode)]),
      ...(doubtful ? ["answer lost"] : []),
      ...(sends > 0 ? [`sent ${sends}`] : failureCode === null ? ["from stock"] : []),
      ...(looks > 0 ? [`looked up ${looks}`] : []),
    ].join(", "),
  );

/** They come first: nothing is bought by them until a person enables them. */
const pausedPanel = ({ pausedRoutes }: SupplierDetails, ctx: ConsoleContext): Html | undefined =>
  pausedRoutes.length === 0
    ? undefined
    : tablePanel({
        title: pausedRoutes.length >= 200 ? "The first 200 paused routes" : "Paused routes",
        caption: "Paused routes",
        rows: pausedRoutes,
        columns: [
          { head: "Product", wraps: true, cell: productCell },
          { head: "Why", wraps: true, cell: (route) => routeState(route, ctx, "suppliers") },
        ],
        empty: emptyState("No paused routes", "Every route can be taken."),
      });

const productCell = ({ productId, productName, faceValue }: ListedRouteRow): Html =>
  twoLines(html`<a href="/products/${productId}">${productName}</a>`, faceValueText(faceValue));

const routesPanel = ({ routes, kind }: SupplierDetails): Html =>
  tablePanel({
    title: routes.length >= 200 ? "The first 200 routes" : "Routes",
    caption: "Routes",
    rows: routes,
    columns: [
      { head: "Product", wraps: true, cell: productCell },
      {
        head: "Their id",
        cell: ({ sku, value }) => (value === null ? sku : twoLines(sku, `bought at ${value}`)),
      },
      { head: "Priority", numeric: true, cell: ({ priority }) => String(priority) },
      {
        head: "Cost",
        numeric: true,
        cell: ({ costMinor, costCurrency }) =>
          costMinor === null || costCurrency === null ? "unknown" : money(costMinor, costCurrency),
      },
      {
        head: "At most",
        numeric: true,
        cell: mostOf,
      },
    ],
    empty: emptyState(
      "No routes",
      findKind(kind)?.canSyncCatalog
        ? "Nothing is bought here. Read its catalog, or add a route on the page of a product."
        : "Nothing is bought here. Add one on the page of a product.",
    ),
  });
