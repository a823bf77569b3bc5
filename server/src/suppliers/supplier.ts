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
  /** What the unit may cost. Absent when the route has no cost: then any price is paid, as nobody knows better. */
  limit?: PriceLimit | undefined;
};

/** The price that is expected, and the most that is accepted. */
export type PriceLimit = { expectedMinor: bigint; maxMinor: bigint; currency: string };

export type SupplierPrice = { amountMinor: bigint; currency: string };
/** What a supplier says that a unit costs. Unreadable is no amount, or one of no currency that there is. */
export type ToldPrice = SupplierPrice | "unreadable";

/**
 * What is known of a purchase after the supplier was asked. Only `refused` says that nothing was bought and nothing will
 * be; `unknown` is every answer that is lost, late, broken or makes no sense, and says nothing at all.
 */
export type PurchaseOutcome =
  | { kind: "delivered"; goods: Secret<Goods>; upstreamId: string; price?: ToldPrice }
  | { kind: "accepted"; upstreamId: string; price?: ToldPrice }
  /** With a price, the price was the reason: it is not what was expected, or more than is accepted. */
  | { kind: "refused"; failureCode: FailureCode; supplierFault: boolean; price?: ToldPrice }
  | { kind: "unknown"; reason: string };

/** A look-up may also find nothing: the purchase was never made, or is not there yet. */
export type LookUpOutcome = PurchaseOutcome | { kind: "not_found" };

/** A supplier that is asked over the network. Both calls end in bounded time and never throw for what it answers. */
export type RemoteSupplier = {
  buy(request: PurchaseRequest): Promise<PurchaseOutcome>;
  /** `upstreamId` is the supplier's own id of the purchase, where it has told it. */
  lookUp(reference: string, upstreamId: string | undefined): Promise<LookUpOutcome>;
  /** Ends what it keeps between calls, such as a connection, in bounded time. Nothing is called after it. */
  close?(): Promise<void>;
};
