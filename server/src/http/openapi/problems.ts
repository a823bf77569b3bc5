import { type ProblemCode, problemCodes, problemTable } from "../../lib/problem-table.ts";
import { rateLimitHeaders, requestIdHeader } from "./schemas.ts";

const money = (description: string) => ({
  type: "object",
  description,
  required: ["amount", "currency"],
  properties: { amount: { type: "integer" }, currency: { type: "string" } },
});

/** The error body of SPEC.md, Errors, with the additional members of some codes. */
export const problemSchema = {
  type: "object",
  description: "An RFC 9457 error. Branch on `code`; handle an unknown code by its `status`.",
  required: ["type", "title", "status", "code", "detail", "request_id"],
  properties: {
    type: {
      type: "string",
      format: "uri",
      description: "A page that explains this code and how to fix the error.",
    },
    title: { type: "string", description: "The same for every error of this code." },
    status: { type: "integer", description: "The HTTP status." },
    code: {
      type: "string",
      description: `Stable machine-readable code. One of ${problemCodes.map((code) => `\`${code}\``).join(", ")}.`,
    },
    detail: { type: "string", description: "A human-readable explanation of this occurrence." },
    request_id: { type: "string", description: "Equal to the `X-Request-Id` header." },
    errors: {
      type: "array",
      description: "The invalid fields, if specific fields are invalid.",
      items: {
        type: "object",
        required: ["pointer", "code", "detail"],
        properties: {
          pointer: {
            type: "string",
            description: "JSON Pointer into the body, or `?name` for a query parameter.",
          },
          code: { type: "string" },
          detail: { type: "string" },
        },
      },
    },
    orderStatus: {
      type: "string",
      description: "With `order_not_fulfilled` and `codes_unavailable`: the order's current status.",
    },
    available: {
      type: "integer",
      description: "With `out_of_stock`: the number of units left, if known.",
    },
    currentTotal: money("With `price_changed`: the current order total."),
    expectedTotal: money("With `price_changed`: the total that the request expected."),
    required: money("With `insufficient_funds`: what the order costs."),
    balance: money("With `insufficient_funds`, for a key with `wallet:read`: what the wallet holds."),
    orderId: {
      type: "string",
      description: "With `idempotency_conflict`: the order that the key belongs to.",
    },
    differs: {
      type: "array",
      items: { type: "string" },
      description: "With `idempotency_conflict`: the members of the body that differ from that order.",
    },
  },
};

/** What every operation can return, and what operations with a key or a body can return as well. */
const ALWAYS: readonly ProblemCode[] = ["invalid_request", "internal_error", "service_unavailable"];
const WITH_KEY: readonly ProblemCode[] = [
  "invalid_test_scenario",
  "unauthenticated",
  "forbidden",
  "ip_not_allowed",
  "rate_limited",
];
const WITH_BODY: readonly ProblemCode[] = ["payload_too_large", "unsupported_media_type"];

/** The error responses of an operation, by status, with an example for each code. */
export function problemResponses(
  own: readonly ProblemCode[],
  { needsKey, takesBody }: { needsKey: boolean; takesBody: boolean },
): Record<string, object> {
  const codes = new Set([...ALWAYS, ...(needsKey ? WITH_KEY : []), ...(takesBody ? WITH_BODY : []), ...own]);
  const byStatus = Map.groupBy(codes, (code) => problemTable[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      String(status),
      {
        description: group.map((code) => `\`${code}\`: ${problemTable[code].title}.`).join("\n\n"),
        headers: {
          ...requestIdHeader,
          ...(needsKey ? rateLimitHeaders : {}),
          ...(group.some((code) => RETRIED.has(code)) ? { "Retry-After": retryAfter } : {}),
          ...(group.includes("unauthenticated") ? { "WWW-Authenticate": wwwAuthenticate } : {}),
        },
        content: {
          "application/problem+json": {
            schema: { $ref: "#/components/schemas/Problem" },
            examples: Object.fromEntries(group.map((code) => [code, { value: example(code) }])),
          },
        },
      },
    ]),
  );
}

const RETRIED: ReadonlySet<ProblemCode> = new Set([
  "rate_limited",
  "service_unavailable",
  "idempotency_in_progress",
]);

const retryAfter = {
  description: "Seconds to wait before the next attempt.",
  schema: { type: "integer", examples: [1] },
};

const wwwAuthenticate = {
  description: "The alternative to `X-API-Key`.",
  schema: { type: "string", examples: ['Bearer realm="scrip"'] },
};

const example = (code: ProblemCode): object => ({
  type: `http://localhost:8080/errors/${code}`,
  title: problemTable[code].title,
  status: problemTable[code].status,
  code,
  detail: problemTable[code].meaning,
  request_id: "req_01m7ef4g9je00974k1yf0xf7j3",
});
