import type { FxRate } from "../../fx/fx-rate.ts";
import type { SaleCount } from "../../pricing/not-for-sale.ts";
import type { Proposal } from "../../pricing/proposal-queries.ts";
import { type PriceRule, sayFloor, sayRule, sayWhat, sayWho } from "../../pricing/rule.ts";
import type { Missing } from "../../reports/needs-queries.ts";
import type { FormState } from "../../web/form/define-form.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { button } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { filterBar } from "../../web/parts/filter-bar.ts";
import { countText, money } from "../../web/parts/money.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { halves, panel, row, stack } from "../../web/parts/panel.ts";
import { smallForm } from "../../web/parts/small-form.ts";
import { time } from "../../web/parts/time.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { type ConsoleContext, may } from "../session.ts";
import { noReseller, saleLinks } from "./not-for-sale-page.ts";
import { rateForm } from "./rate-form.ts";
import { ruleForm } from "./rule-form.ts";

export type PricesPage = {
  proposals: readonly Proposal[];
  count: number;
  lastId: bigint;
  rules: readonly PriceRule[];
  rates: readonly (FxRate & { usableUntil: Date })[];
  asked: { product: string; reseller: string };
  /** The sentence, or why there is none. */
  explained: { sentence: string } | { refused: string } | undefined;
  /** What cannot be bought, by reason. */
  unsold: readonly SaleCount[];
  missing: readonly Missing[];
};

export const renderPrices = (
  page: PricesPage,
  ctx: ConsoleContext,
  { error, rule, rate }: { error?: string | undefined; rule?: FormState; rate?: FormState } = {},
): PageContent => ({
  title: "Prices",
  subtitle: "Prices by rule, from costs and exchange rates. Small moves are published by themselves.",
  body: stack(
    error === undefined ? undefined : notice("bad", error),
    proposalsPanel(page, ctx),
    unsoldPanel(page.unsold),
    explainPanel(page),
    rulesPanel(page.rules, ctx),
    ratesPanel(page.rates, ctx),
    halves(
      may(ctx, "prices.edit") ? [newRulePanel(ctx, rule)] : [],
      may(ctx, "prices.publish") ? [pinPanel(ctx, rate)] : [],
    ),
  ),
});

function proposalsPanel(page: PricesPage, ctx: ConsoleContext): Html {
  const { proposals, count, lastId } = page;
  const mayPublish = may(ctx, "prices.publish");
  const all =
    mayPublish && count > 0
      ? html`<form method="post" action="/prices/publish">${ctx.hidden()}<input type="hidden" name="upTo" value="${lastId.toString()}">${row(button(`Publish all ${countText(count)}`))}</form>`
      : undefined;
  return tablePanel({
    title: "Waiting to be published",
    caption: "Proposed prices",
    rows: proposals,
    columns: [
      { head: "Product", cell: ({ productId }) => html`<a href="/products/${productId}">${productId}</a>` },
      {
        head: "For",
        cell: ({ priceList, resellerId }) =>
          priceList === ""
            ? idText(resellerId, { href: `/resellers/${resellerId}`, short: true })
            : `list ${priceList}`,
      },
      { head: "Old", numeric: true, cell: (one) => amount(one.oldMinor, one.currency) },
      { head: "New", numeric: true, cell: (one) => amount(one.newMinor, one.currency) },
      { head: "Margin before", numeric: true, cell: (one) => margin(one, one.oldMinor) },
      { head: "Margin after", numeric: true, cell: (one) => margin(one, one.newMinor) },
      { head: "Floor", cell: ({ atFloor }) => (atFloor ? chip("floor") : "") },
      ...(mayPublish
        ? [
            {
              head: "",
              cell: ({ id, productId }: Proposal) =>
                smallForm(ctx, "/prices/publish", id.toString(), "Publish", productId),
            },
          ]
        : []),
    ],
    empty: page.missing.includes("reseller")
      ? noReseller("The first prices then wait here to be published.")
      : emptyState(
          "Nothing waits",
          page.unsold.length === 0
            ? "A change of cost, rate or rule that moves a price far appears here."
            : "What has no price that could be published is listed below, with the reason.",
        ),
    ...(all === undefined ? {} : { aside: all }),
  });
}

/** Beside what waits: a price that cannot be made waits for nobody, and would not be seen. */
const unsoldPanel = (unsold: readonly SaleCount[]): Html | undefined =>
  unsold.length === 0 ? undefined : panel({ title: "Not for sale" }, saleLinks(unsold));

const amount = (minor: bigint | null, currency: string) => (minor === null ? "–" : money(minor, currency));
const margin = ({ landedMinor, currency }: Proposal, minor: bigint | null) =>
  minor === null || landedMinor === null ? "–" : money(minor - landedMinor, currency);

const explainPanel = ({ asked, explained }: PricesPage): Html =>
  panel(
    { title: "Explain a price" },
    stack(
      filterBar({
        action: "/prices",
        submit: "Explain",
        filters: [
          { kind: "text", name: "product", label: "Product", value: asked.product },
          { kind: "text", name: "reseller", label: "Reseller", value: asked.reseller },
        ],
      }),
      explained === undefined
        ? undefined
        : "sentence" in explained
          ? html`<p>${explained.sentence}</p>`
          : notice("bad", explained.refused),
    ),
  );

const whoCell = ({ who, whoId }: PriceRule): HtmlValue => {
  if (who === "all") return "every reseller";
  return who === "list" ? `list ${whoId}` : idText(whoId, { href: `/resellers/${whoId}`, short: true });
};

const whatCell = ({ what, whatId, country }: PriceRule): HtmlValue => {
  const where = country === "" ? "" : ` in ${country}`;
  if (what === "all") return `every product${where}`;
  const name = what === "product" ? html`<a href="/products/${whatId}">${whatId}</a>` : `${what} ${whatId}`;
  return html`${name}${where}`;
};

const rulesPanel = (rules: readonly PriceRule[], ctx: ConsoleContext): Html =>
  tablePanel({
    title: "Rules",
    caption: "Price rules",
    rows: rules,
    columns: [
      { head: "For", wraps: true, cell: whoCell },
      { head: "On", wraps: true, cell: whatCell },
      { head: "Price", wraps: true, cell: (rule) => sayRule(rule) },
      { head: "At least", wraps: true, cell: (rule) => sayFloor(rule) || "landed cost" },
      { head: "Rounded to", cell: ({ rounding }) => rounding },
      { head: "Above face value", cell: ({ mayExceedFace }) => (mayExceedFace ? "allowed" : "not sold") },
      { head: "From", cell: ({ validFrom }) => (validFrom ? time(validFrom, ctx.now) : "") },
      { head: "To", cell: ({ validTo }) => (validTo ? time(validTo, ctx.now) : "") },
      ...(may(ctx, "prices.edit")
        ? [
            {
              head: "",
              cell: (rule: PriceRule) =>
                smallForm(
                  ctx,
                  "/prices/rules/remove",
                  rule.id,
                  "Remove",
                  `${sayWho(rule)} on ${sayWhat(rule)}`,
                ),
            },
          ]
        : []),
    ],
    empty: emptyState("No rules yet", "Without a rule, prices are those that were set by hand."),
  });

const newRulePanel = (ctx: ConsoleContext, state: FormState | undefined): Html =>
  panel(
    { title: "Set a rule" },
    ruleForm.render({
      action: "/prices/rules",
      hidden: ctx.hidden({ once: true }),
      state: state ?? ruleForm.start({ for: "all", on: "all", kind: "over_cost" }),
      submit: "Set rule",
      note: "It replaces the rule with the same scope. Prices that move far are proposed, not published.",
      id: "rule",
    }),
  );

const pinPanel = (ctx: ConsoleContext, state: FormState | undefined): Html =>
  panel(
    { title: "Pin a rate" },
    rateForm.render({
      action: "/prices/rates",
      hidden: ctx.hidden({ once: true }),
      state: state ?? rateForm.start(),
      submit: "Pin rate",
      note: "It is stronger than every other source until it ends. Prices that move far are proposed, not published.",
      id: "rate",
    }),
  );

const ratesPanel = (rates: PricesPage["rates"], ctx: ConsoleContext): Html =>
  tablePanel({
    title: "Exchange rates",
    caption: "The newest rate of each source",
    rows: rates,
    columns: [
      { head: "Pair", cell: ({ base, quote }) => `${base}/${quote}` },
      { head: "Rate", numeric: true, cell: ({ rate }) => rate },
      { head: "Source", cell: ({ source }) => source },
      { head: "Since", cell: ({ at }) => time(at, ctx.now) },
      { head: "Usable until", cell: ({ usableUntil }) => time(usableUntil, ctx.now) },
      { head: "State", cell: ({ usableUntil }) => chip(usableUntil > ctx.now ? "in force" : "too old") },
    ],
    empty: emptyState(
      "No rates yet",
      may(ctx, "prices.publish")
        ? "Pin a rate, or import a file: scrip fx import."
        : "Finance can pin one. Files are imported by: scrip fx import.",
    ),
  });
