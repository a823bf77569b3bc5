import { secret } from "../../lib/secret.ts";
import type { Json } from "../../lib/strict-json.ts";
import { checkedEntry, readAmounts } from "../calls/checked-reading.ts";
import { isOtherNumber, readCharge } from "../calls/decimal-amount.ts";
import type { ReadWords } from "../calls/hear-answers.ts";
import { refused, type ToldError } from "../calls/judge-error.ts";
import { listOf, maybeTextAt, NONSENSE, objectAt, textAt, UNUSABLE, usableId } from "../calls/read-answer.ts";
import type { HttpAnswer } from "../calls/supplier-http.ts";
import { toCodeGoods } from "../calls/to-goods.ts";
import type { Goods } from "../goods.ts";
import type { AskedGoods, PurchaseOutcome, StatementEntry, StatementRow, ToldPrice } from "../supplier.ts";

type BambooState = "pending" | "succeeded" | "failed" | "partial" | "reversed";

const STATES: ReadonlyMap<string, BambooState> = new Map([
  ["created", "pending"],
  ["pending", "pending"],
  ["processing", "pending"],
  ["succeeded", "succeeded"],
  ["failed", "failed"],
  ["partialfailed", "partial"],
  ["refunded", "reversed"],
  ["cancelled", "failed"],
]);

const stateOf = (body: Json | undefined): BambooState | undefined =>
  STATES.get((textAt(body, "status") ?? "").toLowerCase());

/** What an order says about our purchase of one unit. */
export function judgeBambooOrder(
  body: Json | undefined,
  requestId: string,
  asked: AskedGoods | undefined,
): PurchaseOutcome {
  const state = stateOf(body);
  if (state === undefined || textAt(body, "requestId")?.toLowerCase() !== requestId) return NONSENSE;
  if (asked && isForOther(body, asked)) return NONSENSE;
  const upstreamId = usableId(textAt(body, "orderId")) ?? requestId;
  const charge = chargeOf(body);
  if (charge === "unreadable") return NONSENSE;
  const price = charge === undefined ? {} : { price: charge };
  switch (state) {
    case "pending":
      return { kind: "accepted", upstreamId, ...price };
    case "succeeded": {
      const card = soleCard(body);
      return card && card !== "none"
        ? { kind: "delivered", goods: secret(card), upstreamId, ...price }
        : { kind: "accepted", upstreamId, ...price, said: { state: "sold" } };
    }
    case "partial": {
      // It is final. Of one unit there is the whole card or nothing.
      const card = soleCard(body);
      if (card === "none") return refused("out_of_stock");
      return card ? { kind: "delivered", goods: secret(card), upstreamId, ...price } : NONSENSE;
    }
    case "failed":
    case "reversed":
      return refused("rejected_by_issuer");
  }
}

/** Another product or face value than we asked for, where the order names them. */
function isForOther(body: Json | undefined, { sku, value }: AskedGoods): boolean {
  const items = listOf(objectAt(body)?.items) ?? [];
  return items.some(
    (item) =>
      isOtherNumber(textAt(item, "productId"), sku) || isOtherNumber(textAt(item, "productFaceValue"), value),
  );
}

/** The total, where the order has one. */
function chargeOf(body: Json | undefined): ToldPrice | undefined {
  const total = textAt(body, "total");
  const currency = textAt(body, "currency") ?? textAt(body, "currencyCode");
  return total === undefined && currency === undefined ? undefined : readCharge([total], currency);
}

/** The one card that was sold. Undefined when there are several, or it makes no sense. */
function soleCard(body: Json | undefined): Goods | "none" | undefined {
  const lists = listOf(objectAt(body)?.items)?.map((item) => listOf(objectAt(item)?.cards));
  const cards = lists?.flatMap((list) => list ?? []);
  if (!cards || lists?.includes(undefined)) return undefined;
  if (cards.some((card) => textAt(card, "status") === undefined)) return undefined;
  const sold = cards.filter((card) => !/^(failed|cancelled)$/i.test(textAt(card, "status") ?? ""));
  if (sold.length === 0) return "none";
  const [card] = sold;
  const pin = maybeTextAt(card, "pin");
  if (sold.length > 1 || pin === "broken") return undefined;
  return toCodeGoods({
    code: textAt(card, "cardCode"),
    pin: pin.text,
    serial: textAt(card, "serialNumber"),
    expiresAt: textAt(card, "expirationDate"),
  });
}

/** The answer to a checkout names our request, as text or in a member. */
export function isOurCheckout(body: Json | undefined, requestId: string): boolean {
  const told = typeof body === "string" ? body : (textAt(body, "requestId") ?? textAt(body, "RequestId"));
  return told?.toLowerCase() === requestId;
}

/** The status of an order, or the code of an error. */
export const readBambooWords: ReadWords = ({ status, body }) => ({
  upstreamId: usableId(textAt(body, "orderId")),
  word: status < 400 ? textAt(body, "status") : (textAt(body, "code") ?? textAt(body, "errorCode")),
});

const MEANINGS: readonly (readonly [RegExp, PurchaseOutcome & { kind: "refused" }])[] = [
  [/insufficient|not enough (balance|funds)/i, UNUSABLE],
  [/out of stock|not available|unavailable|stock/i, refused("out_of_stock")],
  [/product.*not found|not found.*product|invalid product/i, refused("out_of_stock")],
];

export function readBambooError(answer: HttpAnswer): ToldError {
  const body = answer.kind === "answer" ? answer.body : undefined;
  const code = textAt(body, "code") ?? textAt(body, "errorCode");
  const message =
    textAt(body, "message") ?? textAt(body, "Message") ?? textAt(body, "reason") ?? textAt(body, "title");
  const refusal = MEANINGS.find(([pattern]) => pattern.test(`${code ?? ""} ${message ?? ""}`))?.[1];
  return { code, message, refusal, isConflict: /request ?id/i.test(message ?? "") };
}

const BOOKED: Readonly<Record<BambooState, StatementEntry["state"]>> = {
  pending: "pending",
  succeeded: "completed",
  partial: "completed",
  failed: "failed",
  reversed: "reversed",
};

export function toBambooEntry(order: Json): StatementRow {
  const state = stateOf(order);
  const created = (textAt(order, "createdDate") ?? "").replace(" ", "T");
  const isEmpty = state === "partial" && soleCard(order) === "none";
  const currency = textAt(order, "currency") ?? textAt(order, "currencyCode");
  return checkedEntry({
    state: isEmpty ? "failed" : state && BOOKED[state],
    reference: textAt(order, "requestId")?.toLowerCase(),
    upstreamId: textAt(order, "orderId"),
    price: readAmounts({ total: textAt(order, "total") }, ["currency", currency]),
    at: new Date(/(?:Z|[+-]\d\d:\d\d)$/.test(created) ? created : `${created}Z`),
    fields: { state: "status", id: "orderId", price: "total" },
  });
}
