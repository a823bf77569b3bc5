import { secret } from "../../lib/secret.ts";
import type { Json } from "../../lib/strict-json.ts";
import { checkedEntry, type ReadAmounts, readAmounts } from "../calls/checked-reading.ts";
import { isOtherNumber, readCharge } from "../calls/decimal-amount.ts";
import type { ReadWords } from "../calls/hear-answers.ts";
import { refused, type ToldError } from "../calls/judge-error.ts";
import { listOf, NONSENSE, objectAt, textAt, UNUSABLE, usableId } from "../calls/read-answer.ts";
import type { HttpAnswer } from "../calls/supplier-http.ts";
import { toCodeGoods } from "../calls/to-goods.ts";
import type {
  AskedGoods,
  FailureCode,
  PurchaseOutcome,
  StatementEntry,
  StatementRow,
  ToldPrice,
} from "../supplier.ts";

/** DT One's classes of statuses: created, confirmed, rejected, cancelled, submitted, completed, reversed, declined. */
const CLASSES: ReadonlyMap<string, StatementEntry["state"]> = new Map([
  ["1", "pending"],
  ["2", "pending"],
  ["3", "failed"],
  ["4", "failed"],
  ["5", "pending"],
  ["7", "completed"],
  ["8", "reversed"],
  ["9", "failed"],
]);

const stateOf = (body: Json | undefined): StatementEntry["state"] | undefined =>
  CLASSES.get(textAt(body, "status", "class", "id") ?? "");

/** What a transaction says about the purchase under our reference. */
export function judgeDtoneTransaction(
  body: Json | undefined,
  reference: string,
  asked: AskedGoods | undefined,
): PurchaseOutcome {
  const upstreamId = usableId(textAt(body, "id"));
  const state = stateOf(body);
  if (upstreamId === undefined || state === undefined) return NONSENSE;
  if (textAt(body, "external_id") !== reference) return NONSENSE;
  if (isOtherNumber(textAt(body, "product", "id"), asked?.sku)) return NONSENSE;
  const charge = chargeOf(body);
  if (charge === "unreadable") return NONSENSE;
  const price = charge === undefined ? {} : { price: charge };
  switch (state) {
    case "pending":
      return { kind: "accepted", upstreamId, ...price };
    case "completed":
      return completed(body, upstreamId, price, asked);
    case "failed":
    case "reversed":
      // Reversed before we delivered it: nothing was bought in the end. After that, the watch of reversals finds it.
      return refused(failureOf(textAt(body, "status", "message") ?? ""));
  }
}

function completed(
  body: Json | undefined,
  upstreamId: string,
  price: { price?: ToldPrice },
  asked: AskedGoods | undefined,
): PurchaseOutcome {
  const pin = objectAt(body, "pin");
  const goods = pin && toCodeGoods({ code: textAt(pin, "code"), serial: textAt(pin, "serial") });
  if (goods) return { kind: "delivered", goods: secret(goods), upstreamId, ...price };
  // A voucher without its code, or with one that cannot be read, is not delivered yet.
  if (pin || !isTopUp(body, asked))
    return { kind: "accepted", upstreamId, ...price, said: { state: "sold" } };
  const receipt = { type: "topup" as const, receipt: upstreamId };
  return { kind: "delivered", goods: secret(receipt), upstreamId, ...price };
}

/** Only a top-up has an account. */
function isTopUp(body: Json | undefined, asked: AskedGoods | undefined): boolean {
  if (/pin|voucher/i.test(textAt(body, "product", "type") ?? "")) return false;
  const party = asked?.inputFields ?? objectAt(body, "credit_party_identifier") ?? {};
  return Object.values(party).some((value) => typeof value === "string" && value !== "");
}

/** What was taken from our balance, with the fee if there is one. */
function chargeOf(body: Json | undefined): ToldPrice | undefined {
  const wholesale = objectAt(body, "prices", "wholesale");
  if (!wholesale) return undefined;
  return readCharge(
    [textAt(wholesale, "amount"), textAt(wholesale, "fee") ?? "0"],
    textAt(wholesale, "unit"),
  );
}

function failureOf(message: string): FailureCode {
  if (/credit.?party|recipient|beneficiary|mobile.?number|account.?number|barred/i.test(message))
    return "invalid_account";
  if (/unavailable|try.?again|timeout/i.test(message)) return "temporarily_unavailable";
  return /stock/i.test(message) ? "out_of_stock" : "rejected_by_issuer";
}

/** The status of a transaction, or the code of an error. */
export const readDtoneWords: ReadWords = ({ body }) => {
  const transaction = listOf(body)?.[0] ?? body;
  return {
    upstreamId: usableId(textAt(transaction, "id")),
    word:
      textAt(transaction, "status", "message") ??
      textAt(transaction, "status", "class", "message") ??
      textAt(listOf(objectAt(body)?.errors)?.[0], "code"),
  };
};

const EXTERNAL_ID_USED = "1007001";

/** DT One groups its codes: the product (1003), the credit party (1005), the balance (1006). */
const GROUPS: ReadonlyMap<string, PurchaseOutcome & { kind: "refused" }> = new Map([
  ["1003", refused("out_of_stock")],
  ["1005", refused("invalid_account")],
  ["1006", UNUSABLE],
]);

export function readDtoneError(answer: HttpAnswer): ToldError {
  const body = answer.kind === "answer" ? answer.body : undefined;
  const errors = listOf(objectAt(body)?.errors) ?? [];
  const codes = errors.flatMap((error) => textAt(error, "code") ?? []);
  const [code] = codes;
  return {
    code,
    message: textAt(errors[0], "message"),
    refusal: errors.length === 1 && code?.length === 7 ? GROUPS.get(code.slice(0, 4)) : undefined,
    isConflict: codes.includes(EXTERNAL_ID_USED),
  };
}

export function toDtoneEntry(transaction: Json): StatementRow {
  const wholesale = objectAt(transaction, "prices", "wholesale");
  return checkedEntry({
    state: stateOf(transaction),
    reference: textAt(transaction, "external_id"),
    upstreamId: textAt(transaction, "id"),
    price: wholesale && wholesalePrice(wholesale, "0"),
    at: new Date(textAt(transaction, "creation_date") ?? ""),
    fields: { state: "status.class.id", id: "id", price: "prices.wholesale" },
  });
}

/** What is taken from our balance. Transactions can have no fee; a product says it. */
export const wholesalePrice = (wholesale: Json, noFee?: "0"): ReadAmounts =>
  readAmounts(
    {
      "prices.wholesale.amount": textAt(wholesale, "amount"),
      "prices.wholesale.fee": textAt(wholesale, "fee") ?? noFee,
    },
    ["prices.wholesale.unit", textAt(wholesale, "unit")],
  );
