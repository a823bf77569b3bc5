export { type Client, type ClientOptions, createClient } from "./client.ts";
export { type FieldError, type LocalErrorCode, ScripError } from "./errors.ts";
export type { Fetch } from "./request.ts";
export type {
  CallOptions,
  DeliveredCode,
  Money,
  Order,
  OrderCodes,
  OrderFilters,
  OrderLine,
  OrderPage,
  OrderStatus,
  PlacedOrder,
  PlaceOrderInput,
  PlaceOrderOptions,
} from "./types.ts";
