import {
  listUnknown,
  readPosition,
  sumUnknown,
  UNKNOWN_COUNTED_MAX,
  type UnknownBySupplier,
  type UnknownPurchase,
} from "../../fulfilment/operate/list-unknown.ts";
import { answersText, CLASS_WORDS } from "../../fulfilment/operate/what-was-said.ts";
import type { NotFoundState } from "../../fulfilment/take/order-work.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { here } from "../../web/pages/here.ts";
import { linkButton } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { countText, money, moneyText } from "../../web/parts/money.ts";
import { choice } from "../../web/parts/navigation.ts";
import { emptyState, notice } from "../../web/parts/notice.ts";
import { stack } from "../../web/parts/panel.ts";
import { smallForm, smallLink } from "../../web/parts/small-form.ts";
import { spanText, time } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { href } from "../../web/template/safe-url.ts";
import { type ConsoleContext, type ConsoleDeps, may } from "../session.ts";
import { unitsText } from "./consequences.ts";
import { saidChip } from "./order-panels.ts";
import {
  actionHref,
  ORDERS_PATH,
  orderHref,
  productHref,
  resellerHref,
  supplierHref,
  UNKNOWN_PATH,
} from "./order-paths.ts";

const HOUR_MS = 3_600_000;

export type UnknownPage = {
  data: readonly UnknownPurchase[];
  next: string | undefined;
  suppliers: readonly UnknownBySupplier[];
};

export async function loadUnknown(
  { db, clock }: Pick<ConsoleDeps, "db" | "clock">,
  { query }: Pick<ConsoleContext, "query">,
): Promise<UnknownPage> {
  const now = clock.now();
  const selection = {
    supplierId: query.supplier,
    openedBefore: query.older === "1h" ? new Date(now.getTime() - HOUR_MS) : undefined,
    isWrittenOff: query.show === "written-off",
    after: readPosition(query.cursor),
  };
  const [page, suppliers] = await Promise.all([listUnknown(db, selection, now), sumUnknown(db, now)]);
  return { ...page, suppliers };
}

/** Every purchase that was sent and whose outcome is not known. `error` says why something was not done. */
export function renderUnknown(
  { data, next, suppliers }: UnknownPage,
  ctx: ConsoleContext,
  error?: string,
): PageContent {
  const { supplier, older, show } = ctx.query;
  const path = href(UNKNOWN_PATH, { supplier, older, show });
  return {
    title: "Unknown outcomes",
    subtitle:
      "Purchases that were sent and have no known outcome. Scrip looks them up again and again. It buys nothing elsewhere until the answer is known.",
    body: stack(
      error === undefined ? undefined : html`<div class="notice bad" role="alert"><h2>${error}</h2></div>`,
      ...suppliers.filter((one) => isWorrying(one, ctx.now)).map((one) => warning(one, ctx)),
      tablePanel({
        caption: "Unknown outcomes",
        rows: data,
        columns: columns(ctx),
        empty: nothing(ctx),
        filters: choices(suppliers, ctx),
        pages: {
          path,
          next,
          hasFirst: ctx.query.cursor !== undefined,
          shown: `${data.length} ${data.length === 1 ? "purchase" : "purchases"}, longest first`,
        },
      }),
      explanation(ctx),
    ),
  };
}

const WORRYING_MS = 15 * 60_000;

const isWorrying = ({ pausedUntil, enabled, oldestAt }: UnknownBySupplier, now: Date): boolean =>
  pausedUntil !== null || !enabled || now.getTime() - oldestAt.getTime() >= WORRYING_MS;

function warning(one: UnknownBySupplier, ctx: ConsoleContext): Html {
  const span = spanText(ctx.now.getTime() - one.oldestAt.getTime());
  const costs = one.costs.map(({ amountMinor, currency }) => moneyText(amountMinor, currency)).join(" and ");
  const worth = costs === "" ? "" : ` worth ${costs} at cost`;
  const why =
    one.pausedUntil !== null
      ? "It keeps failing, so nothing more is bought there for now."
      : one.enabled
        ? "Other purchases are still sent there."
        : "It is disabled, so nothing more is bought there.";
  return notice(
    one.pausedUntil !== null || span.endsWith("h") || span.endsWith("days") ? "bad" : "warn",
    `${one.supplierName}: no outcome for up to ${span}`,
    html`${unitsText(one.units)}${worth} wait for it. ${why} <a class="link" href="${supplierHref(ctx, one.supplierId)}">Supplier page</a>`,
  );
}

/** What the table shows: all, one supplier, those of more than an hour, those that were written off. */
function choices(suppliers: readonly UnknownBySupplier[], { query }: ConsoleContext): Html {
  const all = suppliers.reduce((sum, { units }) => sum + units, 0);
  const isAll = query.supplier === undefined && query.older === undefined && query.show === undefined;
  return choice("Which purchases", [
    {
      label: all >= UNKNOWN_COUNTED_MAX ? `All, more than ${countText(UNKNOWN_COUNTED_MAX)}` : "All",
      href: UNKNOWN_PATH,
      isCurrent: isAll,
      count: all,
    },
    ...suppliers.map(({ supplierId, supplierName, units }) => ({
      label: supplierName,
      href: href(UNKNOWN_PATH, { supplier: supplierId }),
      isCurrent: query.supplier === supplierId,
      count: units,
    })),
    { label: "over 1 h", href: href(UNKNOWN_PATH, { older: "1h" }), isCurrent: query.older === "1h" },
    {
      label: "written off",
      href: href(UNKNOWN_PATH, { show: "written-off" }),
      isCurrent: query.show === "written-off",
    },
  ]);
}

const columns = (ctx: ConsoleContext): Column<UnknownPurchase>[] => [
  { head: "Unknown for", cell: ({ openedAt }) => ageChip(openedAt, ctx.now) },
  {
    head: "Order",
    wraps: true,
    cell: ({ orderId, resellerId, resellerName }) =>
      twoLines(
        idText(orderId, { short: true, href: orderHref(ctx, orderId) }),
        html`<a href="${resellerHref(ctx, resellerId)}">${resellerName}</a>`,
      ),
  },
  {
    head: "Supplier said",
    wraps: true,
    cell: (one) => saidCell(one, ctx),
  },
  {
    head: "Product",
    wraps: true,
    cell: ({ productId, productName }) => html`<a href="${productHref(ctx, productId)}">${productName}</a>`,
  },
  {
    head: "Cost",
    numeric: true,
    cell: ({ costMinor, costCurrency }) =>
      costMinor === null || costCurrency === null
        ? html`<span class="quiet">not known</span>`
        : money(costMinor, costCurrency),
  },
  { head: "Paid", numeric: true, cell: ({ priceMinor, currency }) => money(priceMinor, currency) },
  ...(may(ctx, "orders.manage")
    ? [{ head: html`<span class="hidden">Actions</span>`, cell: (one: UnknownPurchase) => actions(one, ctx) }]
    : []),
];

const saidCell = (one: UnknownPurchase, ctx: ConsoleContext): Html =>
  html`<div>${saidChip(one)} <a href="${supplierHref(ctx, one.supplierId)}">${one.supplierName}</a>: ${answersText(one)}</div><div class="quiet">${idText(one.reference, { short: true })}${
    one.upstreamId === null ? undefined : html`, theirs ${idText(one.upstreamId, { short: true })}`
  }</div><div class="quiet">${nextLook(one, ctx.now)}</div>${
    one.notFoundState === null || one.writtenOffAt !== null
      ? undefined
      : html`<div>${WAITS[one.notFoundState]}</div>`
  }`;

/** An hour is when an alert is raised. */
const ageChip = (openedAt: Date, now: Date): Html => {
  const ageMs = now.getTime() - openedAt.getTime();
  return chip(spanText(ageMs), ageMs >= HOUR_MS ? "warn" : "wait");
};

const WAITS: Readonly<Record<NotFoundState, string>> = {
  books_differ:
    "Waits for you: the supplier does not find it, and its books lack what they once showed. Ask the supplier whether they are complete.",
  too_many:
    "Waits for you: the supplier does not find it, nor several others of this hour. Ask the supplier, then retry or write off.",
  confirmed: "Counts as not made when the supplier still does not find it.",
};

const nextLook = ({ nextLookAt, writtenOffAt }: UnknownPurchase, now: Date): Html =>
  writtenOffAt === null
    ? nextLookAt > now
      ? html`next look-up ${time(nextLookAt, now)}`
      : html`a look-up is due`
    : html`written off ${time(writtenOffAt, now)}, still followed`;

const actions = (one: UnknownPurchase, ctx: ConsoleContext): Html =>
  html`<div class="row">${smallForm(ctx, `${UNKNOWN_PATH}/look-up`, one.orderId, "Look up at supplier", one.reference)}${
    one.writtenOffAt === null
      ? html`${smallLink("Retry", actionHref(ctx, one.orderId, "retry"))}${smallLink("Write off", actionHref(ctx, one.orderId, "write_off"))}`
      : undefined
  }</div>`;

function nothing(ctx: ConsoleContext): Html {
  const isFiltered = ctx.query.supplier ?? ctx.query.older ?? ctx.query.show ?? ctx.query.cursor;
  return isFiltered === undefined
    ? emptyState(
        "Nothing is unknown",
        "Every supplier has said what became of every purchase. One whose answer is lost appears here after a minute at most.",
        linkButton("Open the orders", here(ctx, ORDERS_PATH)),
      )
    : emptyState("None of these", "Look at all of them.", linkButton("Show all", UNKNOWN_PATH));
}

/** What each decision means, for anyone who is here for the first time. */
const explanation = (ctx: ConsoleContext): Html | undefined =>
  may(ctx, "orders.manage")
    ? notice(
        "quiet",
        "What each of these does",
        html`<p><b>Look up at supplier</b> asks now, by our reference. Nothing is sent or bought. A code that was sold is delivered.</p><p><b>Keep waiting</b> is to do nothing: look-ups go on, with longer and longer pauses. What the supplier does not find for long enough counts as not made. The page of the supplier says after how long.</p><p><b>Retry</b> looks up first, and sends the same purchase again only if the supplier does not know it. The next page says whether it could be bought twice. One that waits for you counts as not made if the supplier still does not find it: the next route is tried, or the reseller is paid back.</p><p><b>Write off</b> pays the reseller back now, and a late code goes to quarantine. The next page shows the amounts first.</p><p><b>${CLASS_WORDS.sold_unreadable}</b>: the supplier has your money. Ask its support for the code and enter it on the order's page, or claim the money. <b>${CLASS_WORDS.pending_there}</b>: it may still sell it. <b>${CLASS_WORDS.not_known}</b>: it has not said whether it sold it.</p>`,
      )
    : undefined;
