import type { Sql } from "sql-template-tag";
import { formatAmount } from "../lib/money.ts";
import { findUnknownBackup } from "./backup-condition.ts";
import {
  findDisabledEndpoints,
  findFrozenKeys,
  findHeldRefunds,
  findNotFoundPurchases,
  findUnknownPurchases,
} from "./order-conditions.ts";
import {
  type AlertSettings,
  findFloorPrices,
  findLeftProducts,
  findLossStops,
  findStaleRates,
} from "./price-conditions.ts";
import { findBrokenAudit, findGoneWorkers } from "./service-conditions.ts";
import {
  findDisabledSuppliers,
  findFailingSuppliers,
  findLowBalances,
  findLowStock,
  findOverchargedRoutes,
  findReversedPurchases,
} from "./supply-conditions.ts";

/** What an alert knows of its subject: ids, counts, times, amounts, and names that resellers know too. Never a code or a secret. */
export type Facts = Readonly<Record<string, string | number | null>>;

export type Condition = {
  /** Finds the subjects for which the condition holds now, with their facts as JSON, at most so many. */
  find(now: Date, limit: number, settings: AlertSettings): Sql;
  /** What is wrong, in a line that can be mailed: it names no supplier. */
  title(facts: Facts): string;
  /** The page of the console where a person acts. */
  path(facts: Facts): string;
};

const text = (facts: Facts, name: string): string => String(facts[name] ?? "");
const NAME_MAX_CHARACTERS = 80;
/** A name as it stands in a line, or the id where the name is not known. */
const name = (facts: Facts, of: string): string =>
  (text(facts, `${of}Name`) || text(facts, `${of}Id`))
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .slice(0, NAME_MAX_CHARACTERS);
/** `10.24 USD`, of `chargedMinor` and `chargedCurrency`, or of the one `currency` that the facts have. */
function amount(facts: Facts, of: string): string {
  const currency = text(facts, `${of}Currency`) || text(facts, "currency");
  return `${formatAmount(BigInt(facts[`${of}Minor`] ?? 0), currency)} ${currency}`;
}
const day = (facts: Facts, name: string): string => text(facts, name).slice(0, 16).replace("T", " ");

/** A purchase that was sold first: it has cost money. */
function unknownText({ sold, pending, purchases }: Facts): string {
  if (Number(sold ?? 0) > 0) return "a supplier sold a unit and its code has not been readable";
  return pending !== undefined && pending === purchases
    ? "a purchase has been pending at its supplier"
    : "a purchase has had no outcome";
}

/**
 * Every condition, by its kind. The kind is the label of the metric `scrip_alerts` and, with hyphens, the heading of its
 * runbook in docs/guides/operator.md.
 */
export const CONDITIONS = {
  purchase_unknown: {
    find: findUnknownPurchases,
    title: (facts) =>
      `Order ${text(facts, "orderId")}: ${unknownText(facts)} since ${day(facts, "since")} UTC (${name(facts, "product")})`,
    path: () => "/unknown",
  },
  purchases_not_found: {
    find: findNotFoundPurchases,
    title: (facts) =>
      `${text(facts, "purchases")} ${facts.purchases === 1 ? "purchase waits" : "purchases wait"} for you: a supplier does not find ${facts.purchases === 1 ? "it" : "them"}`,
    path: (facts) => `/unknown?supplier=${text(facts, "supplierId")}`,
  },
  purchase_reversed: {
    find: findReversedPurchases,
    title: (facts) =>
      `Order ${text(facts, "orderId")}: a supplier took back line ${Number(facts.lineIndex) + 1}, unit ${Number(facts.unitIndex) + 1}, ${name(facts, "product")}, after delivery; keep it or charge it back`,
    path: (facts) => `/orders/${text(facts, "orderId")}`,
  },
  refund_held: {
    find: findHeldRefunds,
    title: (facts) =>
      `Order ${text(facts, "orderId")} of ${name(facts, "reseller")}, ${amount(facts, "total")}: the refund is on hold`,
    path: (facts) => `/orders/${text(facts, "orderId")}`,
  },
  supplier_failing: {
    find: findFailingSuppliers,
    title: (facts) =>
      `Supplier ${text(facts, "supplierId")} keeps failing and is paused: ${text(facts, "failures")} failures in a row`,
    path: (facts) => `/suppliers/${text(facts, "supplierId")}`,
  },
  supplier_disabled: {
    find: findDisabledSuppliers,
    title: (facts) =>
      `Supplier ${text(facts, "supplierId")} is switched off: ${name(facts, "product")} was expected to cost ${amount(facts, "expected")} and was charged ${facts.chargedMinor == null ? "a price that cannot be read" : amount(facts, "charged")}`,
    path: (facts) => `/suppliers/${text(facts, "supplierId")}`,
  },
  route_overcharged: {
    find: findOverchargedRoutes,
    title: (facts) =>
      `${name(facts, "product")}: supplier ${text(facts, "supplierId")} charged ${amount(facts, "charged")} in place of ${amount(facts, "expected")}; the route is paused`,
    path: (facts) => `/products/${text(facts, "productId")}`,
  },
  supplier_balance_low: {
    find: findLowBalances,
    title: (facts) =>
      `The balance at supplier ${text(facts, "supplierId")} is low: ${amount(facts, "balance")}, below ${amount(facts, "low")}`,
    path: (facts) => `/suppliers/${text(facts, "supplierId")}`,
  },
  stock_low: {
    find: findLowStock,
    title: (facts) =>
      facts.available === 0
        ? `${name(facts, "product")} is out of stock`
        : `${name(facts, "product")} runs out of stock within 3 days: ${text(facts, "available")} codes are left of ${text(facts, "neededIn3Days")}`,
    path: (facts) => `/products/${text(facts, "productId")}`,
  },
  products_left_sale: {
    find: findLeftProducts,
    title: (facts) =>
      `${text(facts, "products")} products left the shop within an hour, since ${day(facts, "since")} UTC`,
    path: () => "/not-for-sale",
  },
  rate_stale: {
    find: findStaleRates,
    title: (facts) =>
      `Prices of ${text(facts, "products")} products are withheld: an exchange rate is too old or missing since ${day(facts, "since")} UTC`,
    path: () => "/prices",
  },
  price_floor: {
    find: findFloorPrices,
    title: (facts) => `The price of ${name(facts, "product")} was raised to its floor`,
    path: () => "/prices",
  },
  purchase_at_loss: {
    find: findLossStops,
    title: (facts) => `${name(facts, "product")} was refunded: every supplier would have sold it at a loss`,
    path: (facts) => `/orders/${text(facts, "orderId")}`,
  },
  endpoint_disabled: {
    find: findDisabledEndpoints,
    title: (facts) =>
      `Endpoint ${text(facts, "endpointId")} of ${name(facts, "reseller")} was disabled after days of failures`,
    path: (facts) => `/resellers/${text(facts, "resellerId")}`,
  },
  key_frozen: {
    find: findFrozenKeys,
    title: (facts) =>
      `Key ${name(facts, "key")} of ${name(facts, "reseller")} is frozen: it spent far more than usual`,
    path: (facts) => `/resellers/${text(facts, "resellerId")}`,
  },
  audit_broken: {
    find: findBrokenAudit,
    title: (facts) =>
      `The audit of ${day(facts, "finishedAt")} UTC found broken invariants: ${text(facts, "broken")}`,
    path: () => "/system",
  },
  worker_gone: {
    find: findGoneWorkers,
    title: (facts) =>
      `A worker on ${text(facts, "host")} stopped without a goodbye at ${day(facts, "beatAt")} UTC`,
    path: () => "/system",
  },
  backup_unknown: {
    find: findUnknownBackup,
    title: (facts) =>
      facts.lastAt === null
        ? "No backup has ever been recorded"
        : `The last recorded backup is from ${day(facts, "lastAt")} UTC`,
    path: () => "/system",
  },
} as const satisfies Record<string, Condition>;

export type AlertKind = keyof typeof CONDITIONS;
export const ALERT_KINDS = Object.keys(CONDITIONS) as AlertKind[];

/** Undefined for a kind that only a newer version knows. */
export const findCondition = (kind: string): Condition | undefined =>
  Object.hasOwn(CONDITIONS, kind) ? CONDITIONS[kind as AlertKind] : undefined;

/** The heading of a kind's runbook. */
export const runbookAnchor = (kind: string): string => kind.replaceAll("_", "-");
