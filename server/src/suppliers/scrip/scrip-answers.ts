import { ScripError } from "@scrip/sdk";
import { plainWord } from "../calls/hear-answers.ts";
import { readPrice } from "../price-guard.ts";
import type { FailureCode, PurchaseOutcome, Said } from "../supplier.ts";

type Refused = Extract<PurchaseOutcome, { kind: "refused" }>;
type Unknown = Extract<PurchaseOutcome, { kind: "unknown" }>;

const refused = (failureCode: FailureCode, supplierFault: boolean): Refused => ({
  kind: "refused",
  failureCode,
  supplierFault,
});

/** Nothing can be bought there until an operator fixes it. */
const UNUSABLE = refused("temporarily_unavailable", true);
const NOT_SIGNED_IN: Refused = { ...UNUSABLE, isUnheard: true };

/** The errors that mean that a Scrip has not placed the order and will not. */
const REFUSALS: ReadonlyMap<string, Refused> = new Map([
  ["400 invalid_request", UNUSABLE],
  ["400 idempotency_key_invalid", UNUSABLE],
  ["401 unauthenticated", NOT_SIGNED_IN],
  ["402 insufficient_funds", UNUSABLE],
  ["402 spend_limit_reached", UNUSABLE],
  ["403 forbidden", NOT_SIGNED_IN],
  ["403 ip_not_allowed", NOT_SIGNED_IN],
  ["403 reseller_frozen", UNUSABLE],
  ["403 key_frozen", UNUSABLE],
  ["404 not_found", refused("out_of_stock", false)],
  ["409 price_changed", refused("temporarily_unavailable", false)],
  ["422 product_not_purchasable", refused("out_of_stock", false)],
  ["422 out_of_stock", refused("out_of_stock", false)],
  ["422 quantity_out_of_range", refused("out_of_stock", false)],
  ["422 currency_mismatch", refused("temporarily_unavailable", false)],
  ["422 invalid_input_field", refused("invalid_account", false)],
]);

/** The definitive refusal of a placement, or undefined if the answer is not one. */
export function refusalOf({ status, code, errors, members }: ScripError): Refused | undefined {
  const isAboutProduct = errors.some(({ pointer }) => pointer.startsWith("/lines/"));
  // If it is not the product that was not found, it is the path: the address is wrong for every product.
  if (status === 404 && code === "not_found" && !isAboutProduct) return UNUSABLE;
  const refusal = REFUSALS.get(`${status} ${code}`);
  return refusal && code === "price_changed"
    ? { ...refusal, price: readPrice(members.currentTotal) }
    : refusal;
}

/** An answer that contradicts itself or the request proves nothing, and never that nothing was bought. */
export const NONSENSE: Unknown = { kind: "unknown", reason: "nonsense" };

/** Why an answer proves nothing, in one of our own words. It goes into logs, so it quotes nothing of the answer. */
export const unknownBecauseOf = (error: ScripError): Unknown => ({
  kind: "unknown",
  reason: reasonOf(error),
});

/** What an error says in its own words. Nothing, where there was no answer. */
export function saidBy({ status, code }: ScripError): { said?: Said } {
  if (status === 0) return {};
  const word = plainWord(code, []);
  return { said: { httpStatus: status, ...(word === undefined ? {} : { word }) } };
}

/** For `catch`: an answer of the supplier becomes a value; our own errors are rethrown. */
export function asScripError(error: unknown): ScripError {
  if (error instanceof ScripError) return error;
  throw error;
}

function reasonOf({ status, code }: ScripError): string {
  // Only our timeout aborts a call.
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
