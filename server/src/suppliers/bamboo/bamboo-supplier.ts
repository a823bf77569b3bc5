import type { Clock } from "../../lib/clock.ts";
import {
  type BasicAccess,
  type BasicClient,
  type CallRates,
  createBasicClient,
} from "../calls/basic-client.ts";
import { readAccounts } from "../calls/checked-reading.ts";
import { plainDecimal } from "../calls/decimal-amount.ts";
import { hearAnswers } from "../calls/hear-answers.ts";
import { judgePurchaseError } from "../calls/judge-error.ts";
import {
  BAD_ROUTE,
  isSuccess,
  listOf,
  NONSENSE,
  NOT_SIGNED_IN,
  objectAt,
  reasonOf,
  textAt,
  unknownBecauseOf,
} from "../calls/read-answer.ts";
import { type CallLimit, limitFor } from "../calls/throttle.ts";
import {
  type AskedGoods,
  type BalanceReading,
  type LookUpOutcome,
  type PurchaseOutcome,
  type PurchaseRequest,
  type RemoteSupplier,
  type StatementRow,
  SupplierUnreadable,
} from "../supplier.ts";
import {
  isOurCheckout,
  judgeBambooOrder,
  readBambooError,
  readBambooWords,
  toBambooEntry,
} from "./judge-bamboo.ts";
import { listBambooOffers } from "./list-bamboo.ts";
import { readBambooRates } from "./read-bamboo-rates.ts";
import { requestIdOf } from "./request-id.ts";

export type BambooOptions = {
  access: BasicAccess;
  accountId: string;
  timeoutMs: number;
  clock: Clock;
  rates?: CallRates;
};

/** What Bamboo allows: 2 orders a second and 120 reads a minute. Each process keeps to it by itself. */
export const BAMBOO_RATES: CallRates = { postsPerSecond: 2, getsPerSecond: 2 };
const ORDERS = "/api/integration/v1.0/orders";
const STATEMENT_MAX_BYTES = 64 * 1024 * 1024;

/** Gift cards of Bamboo. Orders are asynchronous; our reference becomes the `RequestId`. */
export function createBambooSupplier(options: BambooOptions): RemoteSupplier {
  const { access, accountId, timeoutMs, clock, rates = BAMBOO_RATES } = options;
  const client = createBasicClient(access, clock, rates);
  const limit = () => limitFor(clock, timeoutMs);
  return {
    buy: (request) =>
      hearAnswers(client, readBambooWords, (heard) => buy(heard, accountId, request, limit())),
    lookUp: (reference, upstreamId, asked) =>
      hearAnswers(client, readBambooWords, (heard) =>
        lookUp(heard, { reference, upstreamId, asked }, limit()),
      ),
    readBalance: () => readBalance(client, accountId, limit()),
    listOffers: () => listBambooOffers(client, limit),
    readStatement: (from, to) => readStatement(client, limit(), from, to),
    readRates: () => readBambooRates(client, limit()),
  };
}

async function buy(
  client: BasicClient,
  accountId: string,
  request: PurchaseRequest,
  limit: CallLimit,
): Promise<PurchaseOutcome> {
  const { reference, sku, value, inputFields } = request;
  const face = plainDecimal(value ?? "");
  const hasFields = inputFields !== null && Object.keys(inputFields).length > 0;
  if (!/^\d{1,15}$/.test(sku) || face === undefined || hasFields) return BAD_ROUTE;
  const requestId = requestIdOf(reference);
  // The value is written as it is: a float would change it.
  const product = `{"ProductId":${sku},"Quantity":1,"Value":${face}}`;
  const body = `{"RequestId":"${requestId}","AccountId":${accountId},"Products":[${product}]}`;
  const answer = await client.call({ method: "POST", path: `${ORDERS}/checkout`, body }, limit);
  if (answer.kind === "not_sent") return { kind: "unknown", reason: answer.reason };
  if (isSuccess(answer)) {
    if (textAt(answer.body, "status") !== undefined) return judgeBambooOrder(answer.body, requestId, request);
    return isOurCheckout(answer.body, requestId) ? { kind: "accepted", upstreamId: requestId } : NONSENSE;
  }
  // Credentials are checked before anything else.
  if (answer.kind === "answer" && answer.status === 401) return NOT_SIGNED_IN;
  const judged = judgePurchaseError(answer, readBambooError(answer));
  if (judged.kind !== "doubted") return judged;
  const found = await lookUp(client, { reference, asked: request }, limit);
  return found.kind === "not_found" ? judged.refusal : found;
}

type LookUp = { reference: string; upstreamId?: string | undefined; asked: AskedGoods | undefined };

async function lookUp(
  client: BasicClient,
  { reference, upstreamId, asked }: LookUp,
  limit: CallLimit,
): Promise<LookUpOutcome> {
  const requestId = requestIdOf(reference);
  const answer = await client.call({ method: "GET", path: `${ORDERS}/${requestId}` }, limit);
  if (answer.kind === "not_sent") return { kind: "unknown", reason: answer.reason };
  if (isSuccess(answer)) return judgeBambooOrder(answer.body, requestId, asked);
  // A page of some other server is not an answer of Bamboo.
  const isMissing =
    answer.kind === "answer" && answer.status === 404 && (answer.isEmpty || answer.body !== undefined);
  if (!isMissing) return unknownBecauseOf(answer);
  return upstreamId === undefined ? { kind: "not_found" } : { kind: "unknown", reason: "missing" };
}

/** Undefined also when the credentials know no such account: sandbox and live accounts must not be mixed. */
async function readBalance(
  client: BasicClient,
  accountId: string,
  limit: CallLimit,
): Promise<BalanceReading | undefined> {
  const answer = await client.call({ method: "GET", path: "/api/integration/v1.0/accounts" }, limit);
  if (answer.kind === "not_sent" || !isSuccess(answer)) return undefined;
  const accounts = listOf(objectAt(answer.body)?.accounts) ?? listOf(answer.body) ?? [];
  const ours = accounts.filter((one) => textAt(one, "id") === accountId);
  return readAccounts(ours, (one) => [
    accountId,
    { balance: textAt(one, "balance") },
    ["currency", textAt(one, "currency")],
  ]);
}

async function* readStatement(
  client: BasicClient,
  limit: CallLimit,
  from: Date,
  to: Date,
): AsyncIterable<readonly StatementRow[]> {
  const days = new URLSearchParams({
    startDate: from.toISOString().slice(0, 10),
    endDate: to.toISOString().slice(0, 10),
  });
  const path = `${ORDERS}?${days}`;
  const answer = await client.call({ method: "GET", path, maxBytes: STATEMENT_MAX_BYTES }, limit);
  if (answer.kind === "not_sent") throw new SupplierUnreadable(answer.reason);
  const orders = isSuccess(answer)
    ? (listOf(answer.body) ?? listOf(objectAt(answer.body)?.items))
    : undefined;
  if (!orders) throw new SupplierUnreadable(reasonOf(answer));
  yield orders.map(toBambooEntry).filter(({ at }) => !at || (at >= from && at < to));
}
