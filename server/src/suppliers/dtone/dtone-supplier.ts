import type { Clock } from "../../lib/clock.ts";
import type { Json } from "../../lib/strict-json.ts";
import { type BasicAccess, type BasicClient, createBasicClient } from "../calls/basic-client.ts";
import { readAccounts } from "../calls/checked-reading.ts";
import { hearAnswers } from "../calls/hear-answers.ts";
import { judgePurchaseError } from "../calls/judge-error.ts";
import {
  BAD_ROUTE,
  isSuccess,
  listOf,
  NONSENSE,
  NOT_SIGNED_IN,
  objectAt,
  textAt,
  unknownBecauseOf,
} from "../calls/read-answer.ts";
import { type CallLimit, limitFor } from "../calls/throttle.ts";
import type {
  AskedGoods,
  LookUpOutcome,
  PurchaseOutcome,
  PurchaseRequest,
  RemoteSupplier,
} from "../supplier.ts";
import { judgeDtoneTransaction, readDtoneError, readDtoneWords } from "./judge-dtone.ts";
import { IDENTIFIERS, listDtoneOffers, readDtoneStatement } from "./list-dtone.ts";

export type DtoneOptions = { access: BasicAccess; timeoutMs: number; clock: Clock };

/** Top-ups and vouchers of DT One. Our reference is the `external_id`. */
export function createDtoneSupplier({ access, timeoutMs, clock }: DtoneOptions): RemoteSupplier {
  const client = createBasicClient(access, clock);
  const limit = () => limitFor(clock, timeoutMs);
  return {
    buy: (request) => hearAnswers(client, readDtoneWords, (heard) => buy(heard, request, limit())),
    lookUp: (reference, upstreamId, asked) =>
      hearAnswers(client, readDtoneWords, (heard) =>
        lookUp(heard, { reference, upstreamId, asked }, limit()),
      ),
    async readBalance() {
      const answer = await client.call({ method: "GET", path: "/v1/balances" }, limit());
      if (answer.kind === "not_sent" || !isSuccess(answer)) return undefined;
      const isMoney = (one: Json) => (textAt(one, "unit_type") ?? "CURRENCY") === "CURRENCY";
      const accounts = (listOf(answer.body) ?? []).filter(isMoney);
      return readAccounts(accounts, (one) => [
        textAt(one, "id"),
        { available: textAt(one, "available") },
        ["unit", textAt(one, "unit") ?? textAt(one, "currency")],
      ]);
    },
    listOffers: () => listDtoneOffers(client, limit),
    readStatement: (from, to) => readDtoneStatement(client, limit, from, to),
  };
}

async function buy(
  client: BasicClient,
  request: PurchaseRequest,
  limit: CallLimit,
): Promise<PurchaseOutcome> {
  const { reference, sku, value, inputFields } = request;
  const fields = Object.entries(inputFields ?? {});
  // A field that cannot be sent may decide whose account it is, so nothing is bought without it.
  const isSendable = fields.every(([name]) => IDENTIFIERS.includes(name));
  if (!/^\d{1,15}$/.test(sku) || value !== undefined || !isSendable) return BAD_ROUTE;
  const party = fields.length > 0 ? { credit_party_identifier: Object.fromEntries(fields) } : {};
  const rest = JSON.stringify({ external_id: reference, auto_confirm: true, ...party });
  const body = `{"product_id":${sku},${rest.slice(1)}`;
  const answer = await client.call({ method: "POST", path: "/v1/async/transactions", body }, limit);
  if (answer.kind === "not_sent") return { kind: "unknown", reason: answer.reason };
  if (isSuccess(answer)) return judgeDtoneTransaction(answer.body, reference, request);
  // Credentials are checked before anything else.
  if (answer.kind === "answer" && answer.status === 401) return NOT_SIGNED_IN;
  const judged = judgePurchaseError(answer, readDtoneError(answer));
  if (judged.kind !== "doubted") return judged;
  const found = await lookUp(client, { reference, upstreamId: undefined, asked: request }, limit);
  return found.kind === "not_found" ? judged.refusal : found;
}

type LookUp = {
  reference: string;
  upstreamId: string | undefined;
  asked: AskedGoods | undefined;
};

async function lookUp(
  client: BasicClient,
  { reference, upstreamId, asked }: LookUp,
  limit: CallLimit,
): Promise<LookUpOutcome> {
  const query = new URLSearchParams({ external_id: reference });
  const answer = await client.call({ method: "GET", path: `/v1/transactions?${query}` }, limit);
  if (answer.kind === "not_sent") return { kind: "unknown", reason: answer.reason };
  const isMissing =
    answer.kind === "answer" && answer.status === 404 && objectAt(answer.body)?.errors !== undefined;
  if (!isSuccess(answer) && !isMissing) return unknownBecauseOf(answer);
  const transactions = isMissing ? [] : listOf(answer.kind === "answer" ? answer.body : undefined);
  if (!transactions || transactions.length > 1) return NONSENSE;
  const [transaction] = transactions;
  // It was accepted once, so an empty list cannot be true.
  if (transaction === undefined)
    return upstreamId === undefined ? { kind: "not_found" } : { kind: "unknown", reason: "missing" };
  return judgeDtoneTransaction(transaction, reference, asked);
}
