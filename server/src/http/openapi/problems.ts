import { type ProblemCode, problemCodes, problemTable } from "../../lib/problem-table.ts";
import { rateLimitHeaders, requestIdHeader } from "./schemas.ts";

/** The error body of SPEC.md, Errors, with the members that some codes add. */
export const problemSchema = {
  type: "object",
  description:
    "An error, as RFC 9457 has it. Decide by `code`; treat one that you do not know by its `status`.",
  required: ["type", "title", "status", "code", "detail", "request_id"],
  properties: {
    type: { type: "string", format: "uri", description: "A page that explains this code and what to do." },
    title: { type: "string", description: "The same for every error of this code." },
    status: { type: "integer", description: "The HTTP status." },
    code: {
      type: "string",
      description: `Stable machine code: one of ${problemCodes.map((code) => `\`${code}\``).join(", ")}.`,
    },
    detail: { type: "string", description: "What happened this time, for a human." },
    request_id: { type: "string", description: "Equal to the `X-Request-Id` header." },
    errors: {
      type: "array",
      description: "The fields at fault, where particular ones are.",
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
    orderStatus: { type: "string", description: "With `order_not_fulfilled`: where the order stands." },
    available: {
      type: "integer",
      description: "With `out_of_stock`: how many units there are, where that is known.",
    },
    currentTotal: {
      type: "object",
      description: "With `price_changed`: what the order costs now.",
      required: ["amount", "currency"],
      properties: { amount: { type: "integer" }, currency: { type: "string" } },
    },
  },
};

/** What every operation may answer, and what those that need a key or take a body may answer too. */
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
  description: "Seconds to wait before the next try.",
  schema: { type: "integer", examples: [1] },
};

const wwwAuthenticate = {
  description: "The way to authenticate beside `X-API-Key`.",
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
