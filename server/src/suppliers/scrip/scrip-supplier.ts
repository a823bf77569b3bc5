import {
  type CallOptions,
  type Client,
  createClient,
  type Fetch,
  type Placement,
  ScripError,
} from "@scrip/sdk";
import { toSafeInteger } from "../../lib/money.ts";
import type { Secret } from "../../lib/secret.ts";
import { acceptableTotal, readPrice } from "../price-guard.ts";
import type {
  AccountCheck,
  BalanceReading,
  LookUpOutcome,
  PurchaseOutcome,
  PurchaseRequest,
  RemoteSupplier,
} from "../supplier.ts";
import { type AskedOrder, judgeScripOrder } from "./judge-scrip-order.ts";
import { asScripError, NONSENSE, refusalOf, saidBy, unknownBecauseOf } from "./scrip-answers.ts";

export type ScripSupplierConfig = {
  baseUrl: string;
  apiKey: Secret<string>;
  timeoutMs?: number;
  fetch?: Fetch;
};

/** The timeout of a purchase or a look-up, for all its calls together. */
export const SUPPLIER_TIMEOUT_MS = 15_000;
/** We buy single units, so a longer answer cannot be right. */
const RESPONSE_MAX_BYTES = 256 * 1024;

/** Another Scrip, called over its public API. Our reference is also the Idempotency-Key. */
export function createScripSupplier(config: ScripSupplierConfig): RemoteSupplier {
  const timeoutMs = config.timeoutMs ?? SUPPLIER_TIMEOUT_MS;
  const client = createClient({
    baseUrl: config.baseUrl,
    apiKey: config.apiKey.reveal(),
    timeoutMs,
    // The worker decides whether and when to retry, after it has recorded what each answer means.
    retries: 0,
    maxResponseBytes: RESPONSE_MAX_BYTES,
    ...(config.fetch ? { fetch: config.fetch } : {}),
  });
  const limits = () => ({ signal: AbortSignal.timeout(timeoutMs) });
  return {
    buy: (request) => buy(client, request, limits()),
    lookUp: (reference, upstreamId, asked) =>
      lookUp(client, { reference, sku: asked?.sku }, upstreamId, limits()),
    readBalance: () => readBalance(client, limits()),
    checkAccount: ({ sku, inputFields }) => checkAccount(client, sku, inputFields ?? {}, limits()),
  };
}

async function readBalance(client: Client, options: CallOptions): Promise<BalanceReading | undefined> {
  const told = await client.wallet.balance(options).catch(asScripError);
  if (told instanceof ScripError) return undefined;
  const balance = readPrice(told.balance);
  return balance === "unreadable" ? undefined : { balance };
}

/** An error says nothing about the account, and neither does a result that a later version adds. */
async function checkAccount(
  client: Client,
  sku: string,
  inputFields: Readonly<Record<string, string>>,
  options: CallOptions,
): Promise<AccountCheck> {
  const told = await client.products.check(sku, inputFields, options).catch(asScripError);
  if (told instanceof ScripError) return { result: "unknown" };
  const result = (["valid", "invalid"] as const).find((known) => known === told.result) ?? "unknown";
  return { result, ...(told.displayName === undefined ? {} : { displayName: told.displayName }) };
}

async function buy(client: Client, request: PurchaseRequest, options: CallOptions): Promise<PurchaseOutcome> {
  const { reference, sku, limit } = request;
  const first = await place(client, request, limit?.expectedMinor, options);
  // A refused request does not bind the reference, so it can be sent again with another expected total.
  const acceptable = first instanceof ScripError && limit ? acceptableTotal(first, limit) : undefined;
  const placed = acceptable === undefined ? first : await place(client, request, acceptable, options);
  if (placed instanceof ScripError)
    return { ...(refusalOf(placed) ?? unknownBecauseOf(placed)), ...saidBy(placed) };
  const { id, status, total } = placed.order;
  if (!isUsableId(id)) return NONSENSE;
  if (status === "pending" || status === "processing") {
    const said = { httpStatus: 202, word: status, upstreamId: id };
    return { kind: "accepted", upstreamId: id, price: readPrice(total), said };
  }
  return readOrder(client, id, { reference, sku }, options);
}

/** The upstream places nothing when the total is not the expected one. */
async function place(
  client: Client,
  { reference, sku, inputFields }: PurchaseRequest,
  expectedMinor: bigint | undefined,
  options: CallOptions,
): Promise<Placement | ScripError> {
  const hasFields = inputFields !== null && Object.keys(inputFields).length > 0;
  const line = { productId: sku, quantity: 1, ...(hasFields ? { inputFields } : {}) };
  const expected = expectedMinor === undefined ? {} : { expectedTotal: toSafeInteger(expectedMinor) };
  return client.orders
    .place({ lines: [line], reference, ...expected }, { ...options, idempotencyKey: reference })
    .catch(asScripError);
}

type Asked = Omit<AskedOrder, "id">;

/**
 * No error is a refusal here: it refuses the look-up and proves nothing about the purchase. An id that leads to no order of
 * ours was wrong, for example because the answer was for another caller; the reference still finds the order.
 */
async function lookUp(
  client: Client,
  asked: Asked,
  upstreamId: string | undefined,
  options: CallOptions,
): Promise<LookUpOutcome> {
  if (upstreamId === undefined) return findOrder(client, asked, options);
  const outcome = await readOrder(client, upstreamId, asked, options);
  if (outcome.kind !== "unknown" || !ID_MISLED.includes(outcome.reason)) return outcome;
  const found = await findOrder(client, asked, options);
  // It was accepted once, so "not found" cannot be true.
  return found.kind === "not_found" ? outcome : found;
}

async function findOrder(client: Client, asked: Asked, options: CallOptions): Promise<LookUpOutcome> {
  const page = await client.orders.list({ idempotencyKey: asked.reference }, options).catch(asScripError);
  if (page instanceof ScripError) return { ...unknownBecauseOf(page), ...saidBy(page) };
  const [order] = page.data;
  // A page can be empty while more follow. Only an empty last page means that there is no order.
  if (!order) return page.hasMore ? NONSENSE : { kind: "not_found", said: { httpStatus: 200 } };
  if (page.data.length > 1 || !isUsableId(order.id)) return NONSENSE;
  return judgeScripOrder(client, order, { ...asked, id: order.id }, options);
}

async function readOrder(
  client: Client,
  id: string,
  asked: Asked,
  options: CallOptions,
): Promise<PurchaseOutcome> {
  const order = await client.orders.get(id, options).catch(asScripError);
  if (order instanceof ScripError) return { ...unknownBecauseOf(order), ...saidBy(order) };
  return judgeScripOrder(client, order, { ...asked, id }, options);
}

const ID_MISLED = ["missing", "nonsense"];

/** The id is used in paths, and in a column of 200 characters. */
const isUsableId = (id: string): boolean => /^[A-Za-z0-9_-][A-Za-z0-9._:-]{0,199}$/.test(id);
