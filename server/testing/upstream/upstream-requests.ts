import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { PlaceOrderBody } from "../../src/orders/schemas.ts";
import type { Call } from "./upstream-desk.ts";
import type { Demand } from "./upstream-ledger.ts";
import { problemReply, type Reply } from "./upstream-replies.ts";

/** Parses a request, or returns why it is refused. Rejects if the request is cut off. */
export async function readCall(
  request: IncomingMessage,
  apiKey: string,
): Promise<{ call: Call } | { refusal: Reply }> {
  // The whole body is read in any case, because clients need not understand an early response.
  const body = await text(request);
  if (!isAuthentic(request, apiKey)) return { refusal: problemReply("unauthenticated") };
  const url = new URL(request.url ?? "/", "http://upstream.example");
  if (request.method === "POST" && url.pathname === "/v1/orders") return readPlacement(request, body);
  if (request.method === "GET" && url.pathname === "/v1/orders") return readLookUp(url);
  const [, id, codes] = /^\/v1\/orders\/([^/]+)(\/codes)?$/.exec(url.pathname) ?? [];
  if (request.method !== "GET" || id === undefined) return { refusal: problemReply("not_found") };
  return { call: { verb: codes ? "codes" : "read", orderId: decodeURIComponent(id) } };
}

/** CONTRACT 1 and 2: the key in either header. Two different keys count as none. */
function isAuthentic({ headers }: IncomingMessage, apiKey: string): boolean {
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1];
  const sent = [headers["x-api-key"], bearer].filter((key) => key !== undefined);
  return sent.length > 0 && sent.every((key) => key === apiKey);
}

function readPlacement(request: IncomingMessage, body: string): { call: Call } | { refusal: Reply } {
  const reference = request.headers["idempotency-key"];
  if (reference === undefined) return { refusal: problemReply("idempotency_key_missing") };
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    return { refusal: problemReply("unsupported_media_type") };
  const order = parseOrder(body);
  const [line, ...others] = order?.lines ?? [];
  if (!order || !line || typeof line.productId !== "string")
    return { refusal: problemReply("invalid_request") };
  // A buying Scrip orders unit by unit, and nothing else is for sale here.
  if (others.length > 0 || line.quantity !== 1) return { refusal: problemReply("quantity_out_of_range") };
  return { call: { verb: "place", demand: toDemand(String(reference), order, line) } };
}

function parseOrder(body: string): PlaceOrderBody | undefined {
  try {
    const order = JSON.parse(body) as PlaceOrderBody | null;
    return Array.isArray(order?.lines) ? order : undefined;
  } catch {
    return undefined;
  }
}

/** Without an account the order's own id is used. It works, but differs in the next run. */
function toDemand(reference: string, order: PlaceOrderBody, line: PlaceOrderBody["lines"][number]): Demand {
  const dot = reference.indexOf(".");
  const inputFields =
    line.inputFields &&
    Object.fromEntries(Object.entries(line.inputFields).map(([key, value]) => [key, String(value)]));
  return {
    reference,
    account: inputFields?.account ?? (dot === -1 ? reference : reference.slice(0, dot)),
    unit: dot === -1 ? "" : reference.slice(dot + 1),
    sku: line.productId,
    ...(inputFields ? { inputFields } : {}),
    ...(order.reference === undefined ? {} : { note: order.reference }),
  };
}

function readLookUp({ searchParams }: URL): { call: Call } | { refusal: Reply } {
  const reference = searchParams.get("idempotencyKey");
  if (reference === null) return { refusal: problemReply("invalid_request") };
  return { call: { verb: "list", reference } };
}
