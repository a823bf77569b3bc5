import type { IncomingMessage } from "node:http";
import type { PlaceOrderBody } from "../../src/orders/schemas.ts";
import type { Call, Reply } from "./upstream-dialect.ts";
import type { Demand } from "./upstream-ledger.ts";
import { problemReply } from "./upstream-replies.ts";

/** Parses a request to a Scrip, or returns why it is refused. */
export function readCall(
  request: IncomingMessage,
  body: string,
  apiKey: string,
): { call: Call } | { reply: Reply } {
  if (!isAuthentic(request, apiKey)) return { reply: problemReply("unauthenticated") };
  const url = new URL(request.url ?? "/", "http://upstream.example");
  if (request.method === "POST" && url.pathname === "/v1/orders") return readPlacement(request, body);
  if (request.method === "GET" && url.pathname === "/v1/orders") return readLookUp(url);
  const [, id, codes] = /^\/v1\/orders\/([^/]+)(\/codes)?$/.exec(url.pathname) ?? [];
  if (request.method !== "GET" || id === undefined) return { reply: problemReply("not_found") };
  return { call: { verb: codes ? "codes" : "read", orderId: decodeURIComponent(id) } };
}

/** CONTRACT 1 and 2: the key in either header. Two different keys count as none. */
function isAuthentic({ headers }: IncomingMessage, apiKey: string): boolean {
  const bearer = /^Bearer +(.+)$/i.exec(headers.authorization ?? "")?.[1];
  const sent = [headers["x-api-key"], bearer].filter((key) => key !== undefined);
  return sent.length > 0 && sent.every((key) => key === apiKey);
}

function readPlacement(request: IncomingMessage, body: string): { call: Call } | { reply: Reply } {
  const reference = request.headers["idempotency-key"];
  if (reference === undefined) return { reply: problemReply("idempotency_key_missing") };
  if (!/^application\/json\b/.test(request.headers["content-type"] ?? ""))
    return { reply: problemReply("unsupported_media_type") };
  const order = parseOrder(body);
  const [line, ...others] = order?.lines ?? [];
  if (!order || !line || typeof line.productId !== "string")
    return { reply: problemReply("invalid_request") };
  // A buying Scrip orders unit by unit, and nothing else is for sale here.
  if (others.length > 0 || line.quantity !== 1) return { reply: problemReply("quantity_out_of_range") };
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

function readLookUp({ searchParams }: URL): { call: Call } | { reply: Reply } {
  const reference = searchParams.get("idempotencyKey");
  if (reference === null) return { reply: problemReply("invalid_request") };
  return { call: { verb: "list", reference } };
}
