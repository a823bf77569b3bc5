import type { Secret } from "../lib/secret.ts";
import type { Goods } from "./goods.ts";

/** CONTRACT 4: why a unit could not be had, as the reseller reads it. */
export const FAILURE_CODES = [
  "out_of_stock",
  "rejected_by_issuer",
  "invalid_account",
  "temporarily_unavailable",
] as const;
export type FailureCode = (typeof FAILURE_CODES)[number];

/** One unit, under a reference that names this purchase for good: asked again, it is the same purchase. */
export type PurchaseRequest = {
  reference: string;
  sku: string;
  inputFields: Readonly<Record<string, string>> | null;
};

/**
 * What is known of a purchase after the supplier was asked. Only `refused` says that nothing was bought and nothing will
 * be; `unknown` is every answer that is lost, late, broken or makes no sense, and says nothing at all.
 */
export type PurchaseOutcome =
  | { kind: "delivered"; goods: Secret<Goods>; upstreamId: string }
  | { kind: "accepted"; upstreamId: string }
  | { kind: "refused"; failureCode: FailureCode; supplierFault: boolean }
  | { kind: "unknown"; reason: string };

/** A look-up may also find nothing: the purchase was never made, or is not there yet. */
export type LookUpOutcome = PurchaseOutcome | { kind: "not_found" };

/** A supplier that is asked over the network. Both calls end in bounded time and never throw for what it answers. */
export type RemoteSupplier = {
  buy(request: PurchaseRequest): Promise<PurchaseOutcome>;
  /** `upstreamId` is the supplier's own id of the purchase, where it has told it. */
  lookUp(reference: string, upstreamId: string | undefined): Promise<LookUpOutcome>;
};
