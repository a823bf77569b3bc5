import { STUCK_AFTER_MS } from "../../fulfilment/operate/find-orders.ts";
import {
  listStuck,
  STUCK_REASONS,
  type StuckOrder,
  type StuckPage,
  type StuckReason,
} from "../../fulfilment/operate/list-stuck.ts";
import { ORDER_ACTIONS } from "../../fulfilment/operate/order-actions.ts";
import { CLASS_WORDS } from "../../fulfilment/operate/what-was-said.ts";
import type { PageContent } from "../../web/layout/frame.ts";
import { environmentOf, here } from "../../web/pages/here.ts";
import { button } from "../../web/parts/button.ts";
import { chip } from "../../web/parts/chip.ts";
import { idText } from "../../web/parts/copy.ts";
import { money } from "../../web/parts/money.ts";
import { choice } from "../../web/parts/navigation.ts";
import { emptyState } from "../../web/parts/notice.ts";
import { spanText, time } from "../../web/parts/time.ts";
import { type Column, twoLines } from "../../web/table/table.ts";
import { tablePanel } from "../../web/table/table-panel.ts";
import { type Html, html } from "../../web/template/html.ts";
import { type ConsoleContext, type ConsoleDeps, may } from "../session.ts";
import { ACTION_LABELS, orderHref, resellerHref, STUCK_PATH } from "./order-paths.ts";

/** Why an order is stuck, in a few words, and what usually helps. */
const WHY: Readonly<Record<StuckReason, { label: string; help: string }>> = {
  unknown_outcome: { label: "Unknown outcome", help: "a supplier has not said what became of a purchase" },
  refund_held: { label: "Refund held", help: "the refund waits for a person" },
  not_taken: { label: "Not taken", help: "no worker has taken it: see whether workers run" },
  under_way: { label: "Under way", help: "a supplier has accepted it and not delivered yet" },
  no_supplier: { label: "No supplier", help: "no route can be used now: see its suppliers" },
  other: { label: "Other", help: "it waits, for no reason that is known" },
};

/** What suppliers have said of its purchases says more than that their outcome is not known. */
const SAID: Readonly<Record<"sold" | "pending", { label: string; help: string }>> = {
  sold: {
    label: CLASS_WORDS.sold_unreadable,
    help: "a supplier sold a unit and its code could not be read: ask its support for the code",
  },
  pending: {
    label: CLASS_WORDS.pending_there,
    help: "a supplier has accepted it and not sold it yet: look it up, or ask the supplier",
  },
};

const whyOf = ({ reason, toldState }: StuckOrder): { label: string; help: string } =>
  toldState !== null && (reason === "unknown_outcome" || reason === "under_way")
    ? SAID[toldState]
    : WHY[reason];

const ORDER_ID = /^ord_[\w-]{1,60}$/;

export async function loadStuck(
  { db, clock }: Pick<ConsoleDeps, "db" | "clock">,
  ctx: Pick<ConsoleContext, "query">,
): Promise<StuckPage> {
  const { cursor = "" } = ctx.query;
  const selection = {
    environment: environmentOf(ctx),
    reason: STUCK_REASONS.find((reason) => reason === ctx.query.why),
    afterId: ORDER_ID.test(cursor) ? cursor : "",
  };
  return listStuck(db, selection, clock.now());
}

/** Orders by why they are stuck, oldest first. `error` says what is wrong with a selection. */
export function renderStuck(
  { data, counts, nextAfterId }: StuckPage,
  ctx: ConsoleContext,
  error?: string,
): PageContent {
  const canAct = may(ctx, "orders.manage");
  return {
    title: "Stuck",
    subtitle: `Orders that are unfinished ${STUCK_AFTER_MS / 60_000} minutes after they were placed, or whose refund is on hold. Oldest first.`,
    body: [
      error === undefined ? undefined : html`<div class="notice bad" role="alert"><h2>${error}</h2></div>`,
      tablePanel({
        caption: "Stuck orders",
        rows: data,
        columns: columns(ctx),
        empty: nothing(ctx),
        filters: choices(counts, ctx),
        ...(canAct
          ? {
              selection: {
                name: "order",
                value: ({ id }: StuckOrder) => id,
                label: ({ id }: StuckOrder) => `Select ${id}`,
              },
              bulk: {
                action: here(ctx, `${STUCK_PATH}/review`),
                hidden: ctx.hidden(),
                actions: BULK_BUTTONS,
              },
            }
          : {}),
        pages: {
          path: here(ctx, STUCK_PATH, { why: ctx.query.why }),
          next: nextAfterId,
          hasFirst: ctx.query.cursor !== undefined,
          shown: `${data.length} ${data.length === 1 ? "order" : "orders"}`,
        },
      }),
    ],
  };
}

/** A reversal is decided on the page of its order, which is completed and not stuck. */
const BULK_ACTIONS = ORDER_ACTIONS.filter((action) => action !== "keep" && action !== "charge_back");
const BULK_BUTTONS: Html = html`${BULK_ACTIONS.map((action) =>
  button(ACTION_LABELS[action], { name: "action", value: action }),
)}`;

function choices(counts: StuckPage["counts"], ctx: ConsoleContext): Html {
  const all = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return choice("Why", [
    { label: "All", href: here(ctx, STUCK_PATH), isCurrent: ctx.query.why === undefined, count: all },
    ...STUCK_REASONS.filter((reason) => counts[reason] !== undefined || ctx.query.why === reason).map(
      (reason) => ({
        label: WHY[reason].label,
        href: here(ctx, STUCK_PATH, { why: reason }),
        isCurrent: ctx.query.why === reason,
        count: counts[reason] ?? 0,
      }),
    ),
  ]);
}

const columns = (ctx: ConsoleContext): Column<StuckOrder>[] => [
  {
    head: "Why",
    wraps: true,
    cell: (order) => {
      const { label, help } = whyOf(order);
      return twoLines(chip(label, order.reason === "other" ? "quiet" : "warn"), help);
    },
  },
  { head: "For", numeric: true, cell: ({ since }) => spanText(ctx.now.getTime() - since.getTime()) },
  {
    head: "Order",
    cell: ({ id, status, refundHeld }) =>
      twoLines(
        idText(id, { short: true, href: orderHref(ctx, id) }),
        refundHeld ? `${status}, refund held` : status,
      ),
  },
  {
    head: "Reseller",
    wraps: true,
    cell: ({ resellerId, resellerName }) =>
      html`<a href="${resellerHref(ctx, resellerId)}">${resellerName}</a>`,
  },
  { head: "Open units", numeric: true, cell: ({ openUnits }) => openUnits },
  { head: "Total", numeric: true, cell: ({ totalMinor, currency }) => money(totalMinor, currency) },
  { head: "Placed", cell: ({ createdAt }) => time(createdAt, ctx.now) },
];

const nothing = (ctx: ConsoleContext): Html =>
  ctx.query.why === undefined && ctx.query.cursor === undefined
    ? emptyState(
        "Nothing is stuck",
        "Every order is finished, or was placed a moment ago. Nobody has to do anything.",
      )
    : emptyState(
        "None of these",
        html`<a class="link" href="${here(ctx, STUCK_PATH)}">Show all stuck orders</a>`,
      );
