import { type Connection, type Fetch, request } from "./request.ts";
import { readOrder, readOrderCodes, readOrderPage, readPlacedOrder } from "./shapes.ts";
import type {
  CallOptions,
  Order,
  OrderCodes,
  OrderFilters,
  OrderPage,
  PlacedOrder,
  PlaceOrderInput,
  PlaceOrderOptions,
} from "./types.ts";

export type ClientOptions = {
  /** Where the API is, as "https://api.example.com"; it may carry a path. */
  baseUrl: string;
  apiKey: string;
  /** The longest that one call may take, its answer's body included. */
  timeoutMs?: number;
  maxResponseBytes?: number;
  fetch?: Fetch;
};

export type Client = {
  orders: {
    place(
      input: PlaceOrderInput,
      options: PlaceOrderOptions,
    ): Promise<{ order: PlacedOrder; replayed: boolean }>;
    get(id: string, options?: CallOptions): Promise<Order>;
    list(filters?: OrderFilters, options?: CallOptions): Promise<OrderPage>;
    codes(id: string, options?: CallOptions): Promise<OrderCodes>;
  };
};

const DEFAULT_TIMEOUT_MS = 15_000;
const DEFAULT_MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** A timer set to more than this fires at once. */
const TIMEOUT_MAX_MS = 2 ** 31 - 1;
const API_KEY = /^sc_(?:live|test)_[0-9A-Za-z]{1,200}$/;
/** Blanks at its ends would be lost on the way, and it would be another key. */
const IDEMPOTENCY_KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** Calls fail with a `ScripError` alone; an argument that no call could be made of is a `RangeError`. */
export function createClient(settings: ClientOptions): Client {
  const connection = toConnection(settings);
  return {
    orders: {
      async place(input, { idempotencyKey, signal }) {
        if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
          throw new RangeError("idempotencyKey must be 1 to 255 printable ASCII characters");
        }
        const { value, headers } = await request(connection, {
          method: "POST",
          path: "/v1/orders",
          headers: { "idempotency-key": idempotencyKey },
          body: input,
          expected: 202,
          read: readPlacedOrder,
          signal,
        });
        return { order: value, replayed: headers.get("idempotent-replayed") === "true" };
      },
      get: async (id, options) => read(connection, orderPath(id), readOrder, options),
      list: async (filters, options) =>
        read(connection, `/v1/orders${toQuery(filters)}`, readOrderPage, options),
      codes: async (id, options) => read(connection, `${orderPath(id)}/codes`, readOrderCodes, options),
    },
  };
}

function toConnection(options: ClientOptions): Connection {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  // What was given is never quoted: somebody mistakes one setting for the other, and then it is the key.
  if (typeof options.apiKey !== "string" || !API_KEY.test(options.apiKey)) {
    throw new RangeError("apiKey must be an API key: sc_live_ or sc_test_ and what follows");
  }
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > TIMEOUT_MAX_MS) {
    throw new RangeError(`timeoutMs must be a whole number from 1 to ${TIMEOUT_MAX_MS}`);
  }
  if (!Number.isSafeInteger(maxResponseBytes) || maxResponseBytes < 1) {
    throw new RangeError("maxResponseBytes must be a whole number from 1 on");
  }
  return {
    baseUrl: toBaseUrl(options.baseUrl),
    apiKey: options.apiKey,
    timeoutMs,
    maxResponseBytes,
    fetch: options.fetch ?? globalThis.fetch,
  };
}

function toBaseUrl(text: string): string {
  const fault = new RangeError(
    "baseUrl must be an http or https URL without credentials, query and fragment",
  );
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw fault;
  }
  const isPlain = url.username === "" && url.password === "" && !/[?#]/.test(text);
  if (!isPlain || !["http:", "https:"].includes(url.protocol)) throw fault;
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/** An id that the path would lose or take for a step upward must not become another request. */
function orderPath(id: string): string {
  if (!/[^.]/.test(id)) throw new RangeError("the order id is not valid");
  return `/v1/orders/${encodeURIComponent(id)}`;
}

function toQuery(filters: OrderFilters = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filters)) {
    if (value !== undefined) query.set(name, String(value));
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

async function read<T>(
  connection: Connection,
  path: string,
  readBody: (body: unknown) => T,
  { signal }: CallOptions = {},
): Promise<T> {
  const call = { method: "GET", path, expected: 200, read: readBody, signal };
  return (await request(connection, call)).value;
}
