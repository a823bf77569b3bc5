import type { Sql } from "sql-template-tag";
import { findUnknownBackup } from "./backup-condition.ts";
import {
  findDisabledEndpoints,
  findFrozenKeys,
  findHeldRefunds,
  findUnknownPurchases,
} from "./order-conditions.ts";
import { findFloorPrices, findLossStops, findStaleRates } from "./price-conditions.ts";
import { findBrokenAudit, findGoneWorkers } from "./service-conditions.ts";
import {
  findFailingSuppliers,
  findLowBalances,
  findLowStock,
  findReversedPurchases,
} from "./supply-conditions.ts";

/** What an alert knows of its subject: ids, counts and times. Never a name, a code or a secret. */
export type Facts = Readonly<Record<string, string | number | null>>;

export type Condition = {
  /** Finds the subjects for which the condition holds now, with their facts as JSON, at most so many. */
  find(now: Date, limit: number): Sql;
  /** What is wrong, in a line that can be mailed: it names no supplier. */
  title(facts: Facts): string;
  /** The page of the console where a person acts. */
  path(facts: Facts): string;
};

const text = (facts: Facts, name: string): string => String(facts[name] ?? "");
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
      `Order ${text(facts, "orderId")}: ${unknownText(facts)} since ${day(facts, "since")} UTC`,
    path: () => "/unknown",
  },
  purchase_reversed: {
    find: findReversedPurchases,
    title: (facts) =>
      `Order ${text(facts, "orderId")}: a supplier took back a unit that was delivered; refund it or keep it`,
    path: (facts) => `/orders/${text(facts, "orderId")}`,
  },
  refund_held: {
    find: findHeldRefunds,
    title: (facts) => `Order ${text(facts, "orderId")}: the refund is on hold`,
    path: (facts) => `/orders/${text(facts, "orderId")}`,
  },
  supplier_failing: {
    find: findFailingSuppliers,
    title: (facts) => `Supplier ${text(facts, "supplierId")} keeps failing and is paused`,
    path: (facts) => `/suppliers/${text(facts, "supplierId")}`,
  },
  supplier_balance_low: {
    find: findLowBalances,
    title: (facts) => `The balance at supplier ${text(facts, "supplierId")} is low`,
    path: (facts) => `/suppliers/${text(facts, "supplierId")}`,
  },
  stock_low: {
    find: findLowStock,
    title: (facts) =>
      facts.available === 0
        ? `Product ${text(facts, "productId")} is out of stock`
        : `Product ${text(facts, "productId")} runs out of stock within 3 days`,
    path: (facts) => `/products/${text(facts, "productId")}`,
  },
  rate_stale: {
    find: findStaleRates,
    title: (facts) =>
      `Prices of ${text(facts, "products")} products are withheld: an exchange rate is too old or missing since ${day(facts, "since")} UTC`,
    path: () => "/prices",
  },
  price_floor: {
    find: findFloorPrices,
    title: (facts) => `The price of product ${text(facts, "productId")} was raised to its floor`,
    path: () => "/prices",
  },
  purchase_at_loss: {
    find: findLossStops,
    title: (facts) =>
      `Product ${text(facts, "productId")} was refunded: every supplier would have sold it at a loss`,
    path: (facts) => `/orders/${text(facts, "orderId")}`,
  },
  endpoint_disabled: {
    find: findDisabledEndpoints,
    title: (facts) =>
      `Endpoint ${text(facts, "endpointId")} of reseller ${text(facts, "resellerId")} was disabled after days of failures`,
    path: (facts) => `/resellers/${text(facts, "resellerId")}`,
  },
  key_frozen: {
    find: findFrozenKeys,
    title: (facts) =>
      `Key ${text(facts, "keyId")} of reseller ${text(facts, "resellerId")} is frozen: it spent far more than usual`,
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
