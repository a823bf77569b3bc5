import type { Clock } from "../../lib/clock.ts";
import { secret } from "../../lib/secret.ts";
import type { Json } from "../../lib/strict-json.ts";
import { readAccounts } from "../calls/checked-reading.ts";
import { plainDecimal } from "../calls/decimal-amount.ts";
import { hearAnswers } from "../calls/hear-answers.ts";
import { judgePurchaseError } from "../calls/judge-error.ts";
import {
  BAD_ROUTE,
  isSuccess,
  listOf,
  maybeTextAt,
  NONSENSE,
  NOT_SIGNED_IN,
  objectAt,
  textAt,
  unknownBecauseOf,
} from "../calls/read-answer.ts";
import type { HttpAnswer } from "../calls/supplier-http.ts";
import { type CallLimit, limitFor } from "../calls/throttle.ts";
import { toCodeGoods } from "../calls/to-goods.ts";
import type { Goods } from "../goods.ts";
import type {
  AskedGoods,
  LookUpOutcome,
  PurchaseOutcome,
  PurchaseRequest,
  RemoteSupplier,
} from "../supplier.ts";
import {
  judgeTransaction,
  type ReloadlyVerdict,
  readReloadlyError,
  readReloadlyWords,
} from "./judge-reloadly.ts";
import { listReloadlyOffers, readReloadlyStatement } from "./list-reloadly.ts";
import {
  createReloadlyClient,
  type NotSent,
  type ReloadlyAccess,
  type ReloadlyClient,
} from "./reloadly-client.ts";

export type ReloadlyOptions = {
  access: ReloadlyAccess;
  isDiscountCredited: boolean;
  timeoutMs: number;
  clock: Clock;
};

/** Reloadly asks who sends a gift card. No recipient is ever given: codes would be mailed out. */
const SENDER_NAME = "Scrip";

/** Gift cards of Reloadly. Our reference is the `customIdentifier`. */
export function createReloadlySupplier({
  access,
  isDiscountCredited,
  timeoutMs,
  clock,
}: ReloadlyOptions): RemoteSupplier {
  const client = { ...createReloadlyClient(access, clock), isDiscountCredited };
  const limit = () => limitFor(clock, timeoutMs);
  return {
    buy: (request) =>
      hearAnswers(client, readReloadlyWords, (heard) =>
        buy({ ...heard, isDiscountCredited }, request, limit()),
      ),
    lookUp: (reference, upstreamId, asked) =>
      hearAnswers(client, readReloadlyWords, (heard) =>
        lookUp({ ...heard, isDiscountCredited }, { reference, upstreamId, asked }, limit()),
      ),
    async readBalance() {
      const answer = await client.call({ method: "GET", path: "/accounts/balance" }, limit());
      if (answer.kind === "not_sent" || !isSuccess(answer)) return undefined;
      return readAccounts([answer.body], (one) => [
        undefined,
        { balance: textAt(one, "balance") },
        ["currencyCode", textAt(one, "currencyCode")],
      ]);
    },
    listOffers: () => listReloadlyOffers(client, limit),
    readStatement: (from, to) => readReloadlyStatement(client, limit, from, to),
  };
}

async function buy(
  client: ReloadlyClient,
  request: PurchaseRequest,
  limit: CallLimit,
): Promise<PurchaseOutcome> {
  const { reference, sku, value, inputFields } = request;
  const unitPrice = plainDecimal(value ?? "");
  const hasFields = inputFields !== null && Object.keys(inputFields).length > 0;
  if (!/^\d{1,15}$/.test(sku) || unitPrice === undefined || hasFields) return BAD_ROUTE;
  // Both numbers are written as they are: a float would change the price.
  const rest = JSON.stringify({ quantity: 1, customIdentifier: reference, senderName: SENDER_NAME });
  const body = `{"productId":${sku},"unitPrice":${unitPrice},${rest.slice(1)}`;
  const answer = await client.call({ method: "POST", path: "/orders", body }, limit);
  if (answer.kind === "not_sent")
    return answer.isRefused ? NOT_SIGNED_IN : { kind: "unknown", reason: answer.reason };
  if (isSuccess(answer))
    return withCards(
      client,
      judgeTransaction(answer.body, reference, request, client.isDiscountCredited),
      limit,
    );
  // The token may have ended while the purchase was under way, so this refusal proves nothing.
  if (answer.kind === "answer" && answer.status === 401) return unknownBecauseOf(answer);
  const judged = judgePurchaseError(answer, readReloadlyError(answer));
  if (judged.kind !== "doubted") return judged;
  const found = await lookUp(client, { reference, asked: request }, limit);
  return found.kind === "not_found" ? judged.refusal : found;
}

type LookUp = { reference: string; upstreamId?: string | undefined; asked: AskedGoods | undefined };

async function lookUp(
  client: ReloadlyClient,
  { reference, upstreamId, asked }: LookUp,
  limit: CallLimit,
): Promise<LookUpOutcome> {
  const query = new URLSearchParams({ customIdentifier: reference, size: String(REPEATS_MAX), page: "1" });
  const answer = await client.call({ method: "GET", path: `/reports/transactions?${query}` }, limit);
  const content = contentOf(answer);
  if (!Array.isArray(content)) return content;
  // It was accepted once, so an empty list cannot be true.
  if (content.length === 0)
    return upstreamId === undefined ? { kind: "not_found" } : { kind: "unknown", reason: "missing" };
  const verdicts = content.map((one) => judgeTransaction(one, reference, asked, client.isDiscountCredited));
  return withCards(client, chooseVerdict(verdicts, upstreamId), limit);
}

/** Under one reference. More than that is nonsense. */
const REPEATS_MAX = 10;

/**
 * A repeated identifier may be sold again. Then one transaction is the purchase: the one that we know, else the first that was sold, else one
 * that is pending. The others are found by reconciliation. All must be ours: a list with a foreign one proves nothing.
 */
export function chooseVerdict(
  verdicts: readonly ReloadlyVerdict[],
  upstreamId: string | undefined,
): ReloadlyVerdict {
  if (verdicts.some(({ kind }) => kind === "unknown")) return NONSENSE;
  const first = (kind: ReloadlyVerdict["kind"]) =>
    verdicts
      .filter((one) => one.kind === kind)
      .toSorted((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
      .at(0);
  const known = verdicts.find((one) => "upstreamId" in one && one.upstreamId === upstreamId);
  return known ?? first("sold") ?? first("accepted") ?? verdicts[0] ?? NONSENSE;
}

/** Ids are numbers, in the order of sale. */
const idOf = (verdict: ReloadlyVerdict): string =>
  "upstreamId" in verdict ? verdict.upstreamId.padStart(20, "0") : "";

function contentOf(answer: HttpAnswer | NotSent): Json[] | (LookUpOutcome & { kind: "unknown" }) {
  if (answer.kind === "not_sent") return { kind: "unknown", reason: answer.reason };
  if (!isSuccess(answer)) return unknownBecauseOf(answer);
  const content = listOf(objectAt(answer.body)?.content);
  if (!content) return NONSENSE;
  // A page that leaves something out, such as the first one where pages begin at zero, proves nothing.
  const total = textAt(answer.body, "totalElements") ?? String(content.length);
  return total === String(content.length) ? [...content] : NONSENSE;
}

/** The codes come by a second call. If it fails, the purchase is accepted: it is made, and its codes are asked for again. */
async function withCards(
  client: ReloadlyClient,
  verdict: ReloadlyVerdict,
  limit: CallLimit,
): Promise<PurchaseOutcome> {
  if (verdict.kind !== "sold") return verdict;
  const { upstreamId, price } = verdict;
  const path = `/orders/transactions/${encodeURIComponent(upstreamId)}/cards`;
  const answer = await client.call({ method: "GET", path }, limit);
  const goods = answer.kind === "not_sent" || !isSuccess(answer) ? undefined : readCard(answer.body);
  return goods
    ? { kind: "delivered", goods: secret(goods), upstreamId, price }
    : { kind: "accepted", upstreamId, price, said: { state: "sold" } };
}

/**
 * One card, as an object or as a list of one. Both members must be there: a card whose PIN was lost on the way is not the card.
 * One that has only a PIN, with the number empty or null, is redeemed by it.
 */
function readCard(body: Json | undefined): Goods | undefined {
  const cards = listOf(body) ?? [body ?? null];
  const [card] = cards;
  const number = maybeTextAt(card, "cardNumber");
  const pin = maybeTextAt(card, "pinCode");
  if (cards.length !== 1 || number === "broken" || pin === "broken") return undefined;
  return toCodeGoods(number.text === undefined ? { code: pin.text } : { code: number.text, pin: pin.text });
}
