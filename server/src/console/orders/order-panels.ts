import { DESCRIBED_MAX, type DescribedPurchase } from "../../fulfilment/operate/describe-order.ts";
import type { OrderEntryRow, RouteRow } from "../../fulfilment/operate/describe-queries.ts";
import { answersText, CLASS_WORDS, classOf } from "../../fulfilment/operate/what-was-said.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { money, moneyText } from "../../web/parts/money.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { time } from "../../web/parts/time.ts";
import { twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { wordChip } from "../plain-word.ts";
import type { ConsoleContext } from "../session.ts";
import type { OrderData } from "./load-order.ts";
import { productHref, supplierHref } from "./order-paths.ts";

/** Every purchase: which supplier, by which references, what was answered, what it cost. */
export const purchasesPanel = ({ described }: OrderData, ctx: ConsoleContext, isLive: boolean): Html =>
  tablePanel({
    title: "Purchases",
    id: "order-purchases",
    live: isLive,
    caption: "Purchases",
    ...(described.purchases.length === DESCRIBED_MAX ? { aside: `the newest ${DESCRIBED_MAX}` } : {}),
    rows: described.purchases,
    empty: emptyState(
      "No purchases",
      described.environment === "test"
        ? "A test order asks no supplier."
        : "No supplier was asked yet. Workers ask the first route as soon as they take the order.",
    ),
    columns: [
      { head: "Unit", cell: (one) => unitCell(one, described.order.lines[one.lineIndex]?.name) },
      { head: "Outcome", wraps: true, cell: (one) => twoLines(outcomeChip(one), answersText(one)) },
      { head: "Supplier", wraps: true, cell: (one) => supplierCell(one, ctx) },
      { head: "Our reference, theirs", cell: referencesCell },
      {
        head: "Expected",
        numeric: true,
        cell: ({ expectedMinor, expectedCurrency }) => costText(expectedMinor, expectedCurrency),
      },
      { head: "Charged", numeric: true, cell: chargedCell },
      { head: "Asked", cell: ({ openedAt }) => time(openedAt, ctx.now) },
    ],
  });

const unitCell = ({ lineIndex, unitIndex, number }: DescribedPurchase, name: string | undefined): Html =>
  twoLines(
    `Line ${lineIndex + 1}, unit ${unitIndex + 1}`,
    number === 1 ? (name ?? "") : `purchase ${number} of ${name ?? "it"}`,
  );

const supplierCell = ({ supplierId, supplierName, sku }: DescribedPurchase, ctx: ConsoleContext): Html =>
  twoLines(
    html`<a href="${supplierHref(ctx, supplierId)}">${supplierName ?? supplierId}</a>`,
    html`<span class="id">${sku}</span>`,
  );

/** An open purchase is unknown once its answer is overdue or lost. */
const outcomeChip = (one: DescribedPurchase): Html => {
  const { status, isUnknown, writtenOffAt, byHand } = one;
  if (one.reversedAt !== null) return html`${chip(status)} ${chip("taken back", "bad")}`;
  if (byHand) return html`${chip(status)} ${chip("by hand", "quiet")}`;
  if (status !== "open") return wordChip(status);
  if (writtenOffAt !== null) return wordChip("written_off");
  return isUnknown || one.toldState === "sold" ? saidChip(one) : chip("waiting");
};

/** The class, and what was answered. */
export const answersPart = (one: DescribedPurchase): Html => html`${saidChip(one)} ${answersText(one)}`;

/** What the supplier has said of a purchase without an outcome. */
export const saidChip = (one: Pick<DescribedPurchase, "toldState">): Html =>
  chip(CLASS_WORDS[classOf(one)], one.toldState === "sold" ? "bad" : "warn");

const referencesCell = ({ reference, upstreamId, sends }: DescribedPurchase): Html =>
  twoLines(
    idText(reference, { short: true }),
    upstreamId === null ? (sends === 0 ? undefined : "none yet") : idText(upstreamId, { short: true }),
  );

/** A supplier that does not say its price is taken to charge the cost of the route. A refused purchase costs nothing. */
function chargedCell(one: DescribedPurchase): Html {
  const { status, sends, costMinor, costCurrency, expectedMinor, expectedCurrency, isPriceKnown } = one;
  if (status === "refused")
    return isPriceKnown
      ? twoLines("nothing", html`asked for ${costText(costMinor, costCurrency)}`)
      : html`nothing`;
  if (!isPriceKnown && status === "open") return NOT_KNOWN;
  const charged = costText(costMinor, costCurrency);
  if (!isPriceKnown)
    return sends === 0 ? charged : twoLines(charged, "as expected; the supplier did not say");
  const isSame = costMinor === expectedMinor && costCurrency === expectedCurrency;
  if (isSame || expectedMinor === null) return charged;
  if (costCurrency !== expectedCurrency) return twoLines(charged, chip("another currency", "bad"));
  const [more, currency] = [(costMinor ?? 0n) - expectedMinor, costCurrency ?? ""];
  return twoLines(
    charged,
    more > 0n ? chip(`${moneyText(more, currency)} more`, "warn") : `${moneyText(-more, currency)} less`,
  );
}

const NOT_KNOWN = html`<span class="quiet">not known</span>`;

const costText = (amountMinor: bigint | null, currency: string | null): Html =>
  amountMinor === null || currency === null ? NOT_KNOWN : money(amountMinor, currency);

/** Where the products of the order are bought now, in the order in which suppliers are asked. */
export const routesPanel = ({ described }: OrderData, ctx: ConsoleContext): Html =>
  tablePanel<RouteRow>({
    title: "Routes now",
    caption: "Routes",
    rows: described.routes,
    empty: emptyState("No routes", "Nothing of this order can be bought. Add a route to its products."),
    columns: [
      {
        head: "Product",
        wraps: true,
        cell: ({ productId }) => html`<a class="id" href="${productHref(ctx, productId)}">${productId}</a>`,
      },
      {
        head: "Supplier",
        cell: ({ supplierId, supplierName }) =>
          html`<a href="${supplierHref(ctx, supplierId)}">${supplierName}</a>`,
      },
      { head: "State", cell: routeChip },
      { head: "Priority", numeric: true, cell: ({ priority }) => priority },
      {
        head: "Cost",
        numeric: true,
        cell: ({ costMinor, costCurrency }) => costText(costMinor, costCurrency),
      },
    ],
  });

const routeChip = ({ enabled, paused }: RouteRow): Html =>
  enabled ? (paused ? chip("paused", "warn") : chip("enabled")) : chip("disabled");

/** What the order did to the reseller's wallet. */
export const ledgerPanel = ({ described }: OrderData, ctx: ConsoleContext): Html =>
  tablePanel<OrderEntryRow>({
    title: "Money in the ledger",
    caption: "Ledger entries",
    rows: described.entries,
    empty: emptyState("No entries", "The audit would find an order that nothing has paid for."),
    columns: [
      { head: "Entry", cell: ({ type, counterAccount }) => twoLines(type, `against ${counterAccount}`) },
      {
        head: "Note",
        wraps: true,
        cell: ({ note, id }) => twoLines(note ?? "", idText(id, { short: true })),
      },
      { head: "Amount", numeric: true, cell: ({ amountMinor, currency }) => money(amountMinor, currency) },
      {
        head: "Balance after",
        numeric: true,
        cell: ({ balanceAfterMinor, currency, createdAt }) =>
          twoLines(money(balanceAfterMinor, currency), time(createdAt, ctx.now)),
      },
    ],
  });

/** What was kept of what the reseller paid, what it cost, and what is left. Of an order that is not over, so far. */
export function marginFacts({ described }: OrderData): (readonly [string, HtmlValue])[] {
  const { margin, state, order } = described;
  const { netMinor, costs, marginMinor, unpriced, isConverted } = margin;
  const { currency } = state;
  const open = described.purchases.filter(({ status }) => status === "open");
  const isOver = open.length === 0 && (order.status === "completed" || order.status === "refunded");
  const paid = sumCharged(open.filter((one) => classOf(one) === "sold_unreadable"));
  const atStake = sumCharged(open.filter((one) => classOf(one) !== "sold_unreadable"));
  return [
    ["Kept", money(netMinor, currency)],
    ["Cost", costs.length === 0 ? quiet(unpriced > 0 ? "not known" : "none") : sum(costs)],
    ...(margin.returned.length === 0
      ? []
      : ([["Given back by the supplier", sum(margin.returned)]] as const)),
    ...(isConverted && marginMinor !== undefined
      ? ([["Cost, converted", money(margin.convertedMinor, currency)]] as const)
      : []),
    ...(margin.lostMinor === 0n
      ? []
      : ([["Lost", html`${money(margin.lostMinor, currency)} of the cost`]] as const)),
    ...(paid.length === 0 ? [] : ([["Paid, no code yet", sum(paid)]] as const)),
    ...(atStake.length === 0 ? [] : ([["Not known", html`${sum(atStake)} may have been paid`]] as const)),
    [
      isOver ? "Margin" : "Margin so far",
      marginMinor === undefined
        ? quiet(unpriced > 0 ? "a cost is not known" : "no exchange rate is stored for a cost")
        : money(marginMinor, currency),
    ],
  ];
}

function sumCharged(purchases: readonly DescribedPurchase[]): { currency: string; amountMinor: bigint }[] {
  const sums = new Map<string, bigint>();
  for (const { costMinor, costCurrency } of purchases)
    if (costMinor !== null && costCurrency !== null)
      sums.set(costCurrency, (sums.get(costCurrency) ?? 0n) + costMinor);
  return [...sums].map(([currency, amountMinor]) => ({ currency, amountMinor }));
}

const quiet = (text: string): Html => html`<span class="quiet">${text}</span>`;

const sum = (costs: readonly { amountMinor: bigint; currency: string }[]): Html =>
  html`${costs.map((cost, index) => html`${index > 0 ? " + " : ""}${money(cost.amountMinor, cost.currency)}`)}`;
