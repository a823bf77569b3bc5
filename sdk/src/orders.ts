import type { Connection } from "./connection.ts";
import type { Listing } from "./listing.ts";
import { perform } from "./perform.ts";
import { read, readList, segment } from "./read.ts";
import { REPLIES } from "./replies.ts";
import type {
  CallOptions,
  Order,
  OrderCodes,
  OrderFilters,
  PlacedOrder,
  PlaceOrderInput,
  PlaceOrderOptions,
} from "./types.ts";

export type Placement = { order: PlacedOrder; replayed: boolean };

export type OrderMethods = {
  place(input: PlaceOrderInput, options: PlaceOrderOptions): Promise<Placement>;
  get(id: string, options?: CallOptions): Promise<Order>;
  /** Newest first. */
  list(filters?: OrderFilters, options?: CallOptions): Listing<Order>;
  codes(id: string, options?: CallOptions): Promise<OrderCodes>;
};

/** Blanks at its ends would be lost on the way, and it would be another key. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

export const orderMethods = (connection: Connection): OrderMethods => ({
  place: async (input, options) => place(connection, input, options),
  get: async (id, options) =>
    (await read(connection, `/v1/orders/${segment(id)}`, REPLIES.getOrder, options)).order,
  list: (filters, options) => readList(connection, () => "/v1/orders", REPLIES.listOrders, filters, options),
  codes: async (id, options) =>
    read(connection, `/v1/orders/${segment(id)}/codes`, REPLIES.getOrderCodes, options),
});

async function place(
  connection: Connection,
  input: PlaceOrderInput,
  { idempotencyKey, ...options }: PlaceOrderOptions,
): Promise<Placement> {
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    throw new RangeError("idempotencyKey must be 1 to 255 printable ASCII characters");
  }
  const { value, headers } = await perform(
    connection,
    {
      method: "POST",
      path: "/v1/orders",
      headers: { "idempotency-key": idempotencyKey },
      body: input,
      expected: 202,
      shape: REPLIES.placeOrder,
      isRepeatable: true,
    },
    options,
  );
  return { order: value.order, replayed: headers.get("idempotent-replayed") === "true" };
}
