import type { Json } from "../../lib/strict-json.ts";
import { isOtherNumber, readCharge } from "../calls/decimal-amount.ts";
import type { ReadWords } from "../calls/hear-answers.ts";
import { refused, type ToldError } from "../calls/judge-error.ts";
import { listOf, NONSENSE, objectAt, textAt, UNUSABLE, usableId } from "../calls/read-answer.ts";
import type { HttpAnswer } from "../calls/supplier-http.ts";
import type { AskedGoods, PurchaseOutcome, StatementEntry, ToldPrice } from "../supplier.ts";
import { amountOf } from "./discount.ts";

/** A transaction that is ours, as far as it is known without its codes. */
export type ReloadlyVerdict =
  | { kind: "sold"; upstreamId: string; price: ToldPrice }
  | Exclude<PurchaseOutcome, { kind: "delivered" }>;

const STATES: ReadonlyMap<string, StatementEntry["state"]> = new Map([
  ["SUCCESSFUL", "completed"],
  ["PENDING", "pending"],
  ["PROCESSING", "pending"],
  ["INITIATED", "pending"],
  ["FAILED", "failed"],
  ["REFUNDED", "reversed"],
]);

export const reloadlyState = (status: string | undefined): StatementEntry["state"] | undefined =>
  status === undefined ? undefined : STATES.get(status.toUpperCase());

/** What a transaction says about the purchase under our reference. */
export function judgeTransaction(
  body: Json | undefined,
  reference: string,
  asked: AskedGoods | undefined,
  isDiscountCredited: boolean,
): ReloadlyVerdict {
  const upstreamId = usableId(textAt(body, "transactionId"));
  const state = reloadlyState(textAt(body, "status"));
  if (upstreamId === undefined || state === undefined) return NONSENSE;
  if (textAt(body, "customIdentifier") !== reference) return NONSENSE;
  if (isOtherNumber(textAt(body, "product", "productId"), asked?.sku)) return NONSENSE;
  if (isOtherNumber(textAt(body, "product", "unitPrice"), asked?.value)) return NONSENSE;
  const price = readCharge([amountOf(body, isDiscountCredited)], textAt(body, "currencyCode"));
  if (price === "unreadable") return NONSENSE;
  switch (state) {
    case "completed":
      return { kind: "sold", upstreamId, price };
    case "pending":
      return { kind: "accepted", upstreamId, price };
    case "failed":
    case "reversed":
      return refused("rejected_by_issuer");
  }
}

/** The status of a transaction, or the code of an error. Cards have neither. */
export const readReloadlyWords: ReadWords = ({ body }) => {
  const transaction = listOf(objectAt(body)?.content)?.[0] ?? body;
  const upstreamId = usableId(textAt(transaction, "transactionId"));
  return {
    upstreamId,
    word: upstreamId === undefined ? textAt(body, "errorCode") : textAt(transaction, "status"),
  };
};

const CODES: ReadonlyMap<string, PurchaseOutcome & { kind: "refused" }> = new Map([
  ["INSUFFICIENT_BALANCE", UNUSABLE],
  ["INSUFFICIENT_FUNDS", UNUSABLE],
  ["PRODUCT_NOT_FOUND", refused("out_of_stock")],
  ["PRODUCT_NOT_AVAILABLE", refused("out_of_stock")],
  ["OUT_OF_STOCK", refused("out_of_stock")],
  ["INVALID_UNIT_PRICE", refused("temporarily_unavailable")],
]);

export function readReloadlyError(answer: HttpAnswer): ToldError {
  const body = answer.kind === "answer" ? answer.body : undefined;
  const code = textAt(body, "errorCode");
  const message = textAt(body, "message");
  return {
    code,
    message,
    refusal: CODES.get(code ?? ""),
    isConflict: /identifier/i.test(`${code ?? ""} ${message ?? ""}`),
  };
}
