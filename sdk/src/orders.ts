import { ScripError } from "./errors.ts";
import type { Connection } from "./http/connection.ts";
import type { Listing } from "./http/listing.ts";
import { perform } from "./http/perform.ts";
import { read, readCsv, readList, segment } from "./http/read.ts";
import { REPLIES } from "./http/replies.ts";
import { checkIdempotencyKey } from "./idempotency-key.ts";
import { type BatchResult, placeBatch } from "./place-batch.ts";
import { openCodes } from "./sealed/open-codes.ts";
import type { OrderCodes, OrderCodesReply, PrivateKeys } from "./types/codes.ts";
import type { CallOptions, CsvPage } from "./types/common.ts";
import type {
  BatchOrderInput,
  Order,
  OrderFilters,
  Placement,
  PlaceOrderInput,
  PlaceOrderOptions,
  TimelineEntry,
  WaitOptions,
} from "./types/orders.ts";
import { waitForOrder } from "./wait-for-order.ts";
import { randomUuid } from "./web-crypto.ts";

export type OrderMethods = {
  /** Safe to retry: the key ensures that there is one order, no matter how many requests arrive. */
  place(input: PlaceOrderInput, options?: PlaceOrderOptions): Promise<Placement>;
  /**
   * Up to 500 orders, each accepted or refused separately. The results are in the order of the input; a refused order has
   * an `error`. Safe to retry with the same keys.
   */
  placeBatch(orders: readonly BatchOrderInput[], options?: CallOptions): Promise<BatchResult[]>;
  get(id: string, options?: CallOptions): Promise<Order>;
  /** Newest first. */
  list(filters?: OrderFilters, options?: CallOptions): Listing<Order>;
  /** A page of the list as CSV. Money is in the currency's major unit. */
  listCsv(filters?: OrderFilters, options?: CallOptions): Promise<CsvPage>;
  codes(id: string, options?: CallOptions): Promise<OrderCodes>;
  /** The codes as CSV. */
  codesCsv(id: string, options?: CallOptions): Promise<string>;
  /** What happened to the order, oldest first. */
  timeline(id: string, options?: CallOptions): Promise<TimelineEntry[]>;
  /** The order, once it is completed or refunded, or stays failed. */
  wait(id: string, options?: WaitOptions): Promise<Order>;
};

export function orderMethods(connection: Connection): OrderMethods {
  const pathOf = (id: string) => `/v1/orders/${segment(id)}`;
  const get = async (id: string, options?: CallOptions) =>
    (await read(connection, pathOf(id), REPLIES.getOrder, options)).order;
  return {
    place: async (input, options) => place(connection, input, options),
    placeBatch: async (orders, options) => placeBatch(connection, orders, options),
    get,
    list: (filters, options) =>
      readList(connection, () => "/v1/orders", REPLIES.listOrders, filters, options),
    listCsv: async (filters, options) => readCsv(connection, "/v1/orders", filters, options),
    codesCsv: async (id, options) => (await readCsv(connection, `${pathOf(id)}/codes`, {}, options)).csv,
    codes: async (id, options) =>
      withOpen(await read(connection, `${pathOf(id)}/codes`, REPLIES.getOrderCodes, options)),
    timeline: async (id, options) =>
      (await read(connection, `${pathOf(id)}/timeline`, REPLIES.getOrderTimeline, options)).data,
    wait: async (id, options) => waitForOrder(connection, (limits) => get(id, limits), options),
  };
}

/** Not enumerable: the codes look, compare and serialise as the API sent them. */
const withOpen = (reply: OrderCodesReply): OrderCodes =>
  Object.defineProperty({ ...reply }, "open", {
    value: (privateKeys: PrivateKeys) => openCodes(reply, privateKeys),
  }) as OrderCodes;

async function place(
  connection: Connection,
  input: PlaceOrderInput,
  { idempotencyKey: given, ...options }: PlaceOrderOptions = {},
): Promise<Placement> {
  const idempotencyKey = checkIdempotencyKey(given ?? (await randomUuid()));
  const call = {
    method: "POST",
    path: "/v1/orders",
    headers: { "idempotency-key": idempotencyKey },
    body: input,
    expected: 202,
    shape: REPLIES.placeOrder,
    isRepeatable: true,
  } as const;
  const { value, headers } = await perform(connection, call, options).catch((error: unknown) => {
    if (!(error instanceof ScripError)) throw error;
    throw new ScripError(error.code, error.message, { ...error, idempotencyKey });
  });
  return {
    order: value.order,
    replayed: headers.get("idempotent-replayed") === "true",
    idempotencyKey,
  };
}
