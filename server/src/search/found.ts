import type { Tenant } from "../http/caller.ts";

/** What a search can find, in the order in which it is shown. */
export const FOUND_KINDS = [
  "order",
  "unit",
  "purchase",
  "code",
  "entry",
  "deposit",
  "reseller",
  "user",
  "key",
  "endpoint",
  "event",
  "delivery",
  "request",
  "product",
  "supplier",
  "staff",
  "activity",
  "job",
  "alert",
] as const;

export type FoundKind = (typeof FOUND_KINDS)[number];

/** One thing that was found. Never a code, a key or a secret. */
export type Found = {
  kind: FoundKind;
  id: string;
  /** What people call it. */
  title: string;
  /** Its status, where it has one. */
  status: string | null;
  resellerId: string | null;
  resellerName: string | null;
  environment: Tenant["environment"] | null;
  /** The order that it belongs to. */
  orderId: string | null;
};
