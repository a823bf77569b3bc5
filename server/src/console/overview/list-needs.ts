import { ALERT_KINDS, type AlertKind } from "../../alerts/conditions.ts";
import type { Alert } from "../../alerts/list-alerts.ts";
import { type OperatorNeeds, RATE_DAYS, STOCK_DAYS } from "../../reports/find-needs.ts";
import { COUNTED_MAX, type Missing, type RunningOut, type Waiting } from "../../reports/needs-queries.ts";
import type { Proposal } from "../../wallet/proposals/proposal.ts";
import { chip } from "../../web/parts/chip.ts";
import { countText, moneyText } from "../../web/parts/money.ts";
import { exactTime, spanText, time } from "../../web/parts/time.ts";
import { type Html, type HtmlValue, html } from "../../web/template/html.ts";
import { failuresText } from "../../webhooks/health/read-health.ts";
import { DISABLED_REASONS } from "../suppliers/price-limits.ts";

/** Something that a person should do, with the page on which to do it. */
export type Need = { chip: Html; what: string; path: string; note: HtmlValue };

/** What these kinds of alert say, the needs say with names and amounts. */
const TOLD_BY_NEEDS: readonly AlertKind[] = [
  ...(["purchase_unknown", "refund_held", "supplier_failing", "supplier_disabled"] as const),
  ...(["stock_low", "endpoint_disabled"] as const),
];

/** The alerts that the overview shows as they are, so that each condition is there once. */
export const ALERTS_AMONG_NEEDS: readonly AlertKind[] = ALERT_KINDS.filter(
  (kind) => !TOLD_BY_NEEDS.includes(kind),
);

export type NeedsData = {
  needs: OperatorNeeds;
  /** Deposits that arrived, without those whose credit waits for a second person. */
  toCredit: Waiting;
  /** Movements of money that wait for a second person. */
  proposals: readonly Proposal[];
  alerts: readonly Alert[];
};

/** What needs a person, the most urgent first. */
export const listNeeds = ({ needs, toCredit, proposals, alerts }: NeedsData, now: Date): Need[] => [
  ...alerts.map((alert) => alertNeed(alert, now)),
  ...unknown(needs.unknown, now),
  ...held(needs.held, now),
  ...deposits(toCredit, now),
  ...approvals(proposals, now),
  ...suppliers(needs, now),
  ...soldOut(needs),
  ...needs.runningOut.map(runningOut),
  ...endpoints(needs, now),
  ...needs.missing.map((one) => ({ chip: chip("missing", "wait"), ...MISSING[one] })),
];

/** What to do first in an installation that sells nothing yet. */
const MISSING: Readonly<Record<Missing, Pick<Need, "what" | "path" | "note">>> = {
  supplier: {
    what: "No supplier yet",
    path: "/suppliers",
    note: "Add one that you buy from, or your own stock of codes.",
  },
  product: {
    what: "No product yet",
    path: "/products",
    note: "Import products from a file, or read a supplier's catalog.",
  },
  price: {
    what: "No price yet",
    path: "/prices",
    note: "Set a rule that works prices out, or import prices.",
  },
  reseller: {
    what: "No reseller yet",
    path: "/resellers",
    note: "Create one, invite its owner and credit its wallet.",
  },
};

const alertNeed = ({ title, path, raisedAt, acknowledgedAt }: Alert, now: Date): Need => ({
  chip: chip(acknowledgedAt === null ? "alert" : "acknowledged", acknowledgedAt === null ? "bad" : "warn"),
  what: title,
  path: path ?? "/alerts",
  note: html`Raised ${time(raisedAt, now)}.`,
});

const many = (count: number): string =>
  count > COUNTED_MAX ? `More than ${countText(COUNTED_MAX)}` : countText(count);
const since = (at: Date | null, now: Date): string =>
  at === null ? "" : ` The oldest has waited for ${spanText(now.getTime() - at.getTime())}.`;

const unknown = ({ count, oldestAt }: Waiting, now: Date): Need[] =>
  count === 0
    ? []
    : [
        {
          chip: chip("unknown"),
          what: `${many(count)} unknown ${count === 1 ? "outcome" : "outcomes"}`,
          path: "/unknown",
          note: `A supplier has not said whether it sold.${since(oldestAt, now)}`,
        },
      ];

const held = ({ count, oldestAt }: Waiting, now: Date): Need[] =>
  count === 0
    ? []
    : [
        {
          chip: chip("held"),
          what: `${many(count)} held ${count === 1 ? "refund" : "refunds"}`,
          path: "/stuck",
          note: `The money goes back when the hold is released.${since(oldestAt, now)}`,
        },
      ];

const deposits = ({ count, oldestAt }: Waiting, now: Date): Need[] =>
  count === 0
    ? []
    : [
        {
          chip: chip("received"),
          what: `${many(count)} ${count === 1 ? "deposit" : "deposits"} to credit`,
          path: "/deposits?status=received",
          note: `The payment has arrived.${since(oldestAt, now)}`,
        },
      ];

/** One is named with its amount and leads to its page. */
function approvals(proposals: readonly Proposal[], now: Date): Need[] {
  const [first, ...rest] = proposals;
  if (!first) return [];
  const { id, direction, amountMinor, currency, expiresAt } = first;
  const amount = `${direction} of ${moneyText(amountMinor, currency)}`;
  return [
    {
      chip: chip("waiting"),
      what:
        rest.length === 0
          ? `A ${amount}`
          : `A ${amount} and ${countText(rest.length)} more ${rest.length === 1 ? "movement" : "movements"}`,
      path: rest.length === 0 ? `/money/proposals/${encodeURIComponent(id)}` : "/money",
      note: `Another person has to approve. The first expires in ${spanText(expiresAt.getTime() - now.getTime())}.`,
    },
  ];
}

const suppliers = ({ suppliers: troubled }: OperatorNeeds, now: Date): Need[] =>
  troubled.map(({ id, name, state, reason, openUntil, failures }) => ({
    chip: state === "paused" ? chip("paused", "bad") : chip(state),
    what: name,
    path: `/suppliers/${encodeURIComponent(id)}`,
    note:
      state === "disabled"
        ? `${DISABLED_REASONS[reason ?? ""] ?? "Products are routed to it"}, and nothing is bought there.`
        : state === "paused"
          ? `${countText(failures)} failures in a row. It is tried again in ${spanText((openUntil?.getTime() ?? 0) - now.getTime())}.`
          : `${countText(failures)} failures in a row.`,
  }));

function soldOut({ soldOut: products }: OperatorNeeds): Need[] {
  const [first, ...rest] = products;
  if (!first) return [];
  return [
    {
      chip: chip("sold out", "bad"),
      what: rest.length === 0 ? first.name : `${first.name} and ${rest.length} more`,
      path: rest.length === 0 ? `/products/${encodeURIComponent(first.id)}` : "/stock",
      note: "On sale, and no supplier can deliver it.",
    },
  ];
}

/** Tenths of a day, in whole numbers. */
const runningOut = ({ id, name, inStock, soldUnits }: RunningOut): Need => {
  const tenths = (BigInt(inStock) * BigInt(RATE_DAYS) * 10n) / soldUnits;
  return {
    chip: chip("low"),
    what: name,
    path: `/products/${encodeURIComponent(id)}`,
    note: `${countText(inStock)} in stock: ${tenths / 10n}.${tenths % 10n} days at this week's rate, fewer than ${STOCK_DAYS}.`,
  };
};

const endpoints = ({ endpoints: failing }: OperatorNeeds, now: Date): Need[] =>
  failing.map(({ url, resellerId, reseller, active, failingSince, recent }) => ({
    chip: chip(active ? "failing" : "disabled"),
    what: `${reseller}: ${URL.canParse(url) ? new URL(url).host : url}`,
    path: `/resellers/${encodeURIComponent(resellerId)}`,
    note: active
      ? `${failuresText(recent)}, since ${exactTime(failingSince)}. No delivery has succeeded for ${spanText(now.getTime() - failingSince.getTime())}.`
      : "Disabled after days of failures.",
  }));
