import { ScripError } from "@scrip/sdk";
import { readPrice } from "../price-guard.ts";
import type { FailureCode, PurchaseOutcome } from "../supplier.ts";

type Refused = Extract<PurchaseOutcome, { kind: "refused" }>;
type Unknown = Extract<PurchaseOutcome, { kind: "unknown" }>;

const refused = (failureCode: FailureCode, supplierFault: boolean): Refused => ({
  kind: "refused",
  failureCode,
  supplierFault,
});

/** Nothing can be bought there until an operator has seen to it. */
const UNUSABLE = refused("temporarily_unavailable", true);

/** The errors by which a Scrip says that it has not placed an order and has not begun to. */
const REFUSALS: ReadonlyMap<string, Refused> = new Map([
  ["400 invalid_request", UNUSABLE],
  ["400 idempotency_key_invalid", UNUSABLE],
  ["401 unauthenticated", UNUSABLE],
  ["402 insufficient_funds", UNUSABLE],
  ["402 spend_limit_reached", UNUSABLE],
  ["403 forbidden", UNUSABLE],
  ["403 ip_not_allowed", UNUSABLE],
  ["403 reseller_frozen", UNUSABLE],
  ["404 not_found", refused("out_of_stock", false)],
  ["409 price_changed", refused("temporarily_unavailable", false)],
  ["422 product_not_purchasable", refused("out_of_stock", false)],
  ["422 out_of_stock", refused("out_of_stock", false)],
  ["422 quantity_out_of_range", refused("out_of_stock", false)],
  ["422 currency_mismatch", refused("temporarily_unavailable", false)],
  ["422 invalid_input_field", refused("invalid_account", false)],
]);

/** The definitive no that a placement was answered with, or undefined when it was none. */
export function refusalOf({ status, code, errors, members }: ScripError): Refused | undefined {
  const isAboutProduct = errors.some(({ pointer }) => pointer.startsWith("/lines/"));
  // What is not found, when it is no product, is the path: the address is wrong for all that we could buy.
  if (status === 404 && code === "not_found" && !isAboutProduct) return UNUSABLE;
  const refusal = REFUSALS.get(`${status} ${code}`);
  return refusal && code === "price_changed"
    ? { ...refusal, price: readPrice(members.currentTotal) }
    : refusal;
}

/** An answer that contradicts itself or what was asked tells nothing, least of all that nothing was bought. */
export const NONSENSE: Unknown = { kind: "unknown", reason: "nonsense" };

/** Why an answer tells nothing, in a word of ours: it goes into logs, and the answer may hold anything. */
export const unknownBecauseOf = (error: ScripError): Unknown => ({
  kind: "unknown",
  reason: reasonOf(error),
});

/** For `catch`: an answer of the supplier's becomes a value; a fault of our own goes on. */
export function asScripError(error: unknown): ScripError {
  if (error instanceof ScripError) return error;
  throw error;
}

function reasonOf({ status, code }: ScripError): string {
  // We give up on nothing but time, so what was aborted has run out of it.
  if (status === 0) return code === "aborted" ? "timeout" : (LOCAL_REASONS.get(code) ?? "nonsense");
  if (status === 429) return "busy";
  if (status >= 500) return "server_error";
  return ANSWERED_REASONS.get(`${status} ${code}`) ?? "nonsense";
}

const LOCAL_REASONS: ReadonlyMap<string, string> = new Map([
  ["timeout", "timeout"],
  ["connection_failed", "connection_failed"],
]);

const ANSWERED_REASONS: ReadonlyMap<string, string> = new Map([
  ["401 unauthenticated", "not_authorized"],
  ["403 forbidden", "not_authorized"],
  ["403 ip_not_allowed", "not_authorized"],
  ["404 not_found", "missing"],
  ["409 idempotency_in_progress", "busy"],
  ["409 idempotency_conflict", "conflict"],
  ["409 order_not_fulfilled", "not_delivered"],
]);
