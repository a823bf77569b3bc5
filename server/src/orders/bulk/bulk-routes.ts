import type { FastifyInstance, FastifyRequest } from "fastify";
import { callerOf } from "../../http/caller.ts";
import { jsonReply } from "../../http/json-reply.ts";
import { Type } from "../../http/openapi/type.ts";
import { describeProblem, invalidFields, type ProblemDeps } from "../../http/send-problem.ts";
import { compileCheck } from "../../http/validate-requests.ts";
import { Problem } from "../../lib/problem.ts";
import { readScenario } from "../../sandbox/read-scenario.ts";
import type { Scenario } from "../../sandbox/scenarios.ts";
import { isIdempotencyKey } from "../idempotency-key.ts";
import { toOrderRequest } from "../order-request.ts";
import { money } from "../order-view.ts";
import type { PlaceOrderInput } from "../place-order.ts";
import { type PlaceOrderBody, PlaceOrderRequest } from "../schemas.ts";
import {
  BATCH_ORDERS_MAX,
  batchFrame,
  type PlaceOrdersBody,
  PlaceOrdersReply,
  PlaceOrdersRequest,
} from "./bulk-schemas.ts";
import { type PlaceOrdersDeps, type PlaceOrdersResult, placeOrders } from "./place-orders.ts";

/** 500 orders of 2 KiB. */
const BATCH_BODY_MAX_BYTES = 1024 * 1024;

const checkFrame = compileCheck(batchFrame);
const checkOrder = compileCheck(PlaceOrderRequest);

export function bulkRoutes(app: FastifyInstance, deps: PlaceOrdersDeps & { problems: ProblemDeps }): void {
  app.post<{ Body: PlaceOrdersBody }>("/v1/orders/batch", {
    config: { scope: "orders:write", limitClass: "orders" },
    bodyLimit: BATCH_BODY_MAX_BYTES,
    schema: {
      operationId: "placeOrders",
      tags: ["Orders"],
      summary: "Place up to 500 orders",
      description: `Places 1 to ${BATCH_ORDERS_MAX} orders in one request. Each has its own \`idempotencyKey\` and is accepted or refused separately, as if the orders were sent to \`POST /v1/orders\` one after another. The response is 200 with one result for each order, also if all were refused. You can send the same batch any number of times. The body can have up to 1 MiB. A batch of n orders counts as n requests of the \`orders\` limit. It is accepted as long as one order is; what exceeds the limit must be earned back before the next order.`,
      headers: Type.Object({
        "X-Test-Scenario": Type.Optional(
          Type.String({
            description: "Test keys only: the scenario to simulate for every order. Ignored for live keys.",
          }),
        ),
      }),
      body: PlaceOrdersRequest,
      response: { 200: jsonReply("What became of each order.", PlaceOrdersReply) },
    },
    // A malformed order refuses that order alone.
    validatorCompiler: (part) =>
      part.httpPart === "body" ? checkFrame : (app.validatorCompiler?.(part) ?? (() => true)),
    handler: async (request) => {
      const caller = callerOf(request);
      const scenario = readScenario(caller, request.headers);
      await request.countAs?.(request.body.orders.length - 1);
      const members = request.body.orders.map((order) => readMember(order, scenario));
      const placed = await placeOrders(
        deps,
        caller,
        members.flatMap(({ input }) => input ?? []),
      );
      return {
        results: members.map(({ idempotencyKey, input, error }) => ({
          idempotencyKey,
          ...describe(deps.problems, request, (input && placed.shift()) ?? { error }),
        })),
      };
    },
  });
}

type Member = { idempotencyKey: string | undefined; input?: PlaceOrderInput; error?: unknown };

/** Checks in the order of a single placement: the body first, then its key. */
function readMember(sent: unknown, scenario: Scenario | undefined): Member {
  const { idempotencyKey: key, ...body } = { ...(typeof sent === "object" ? sent : {}) } as {
    idempotencyKey?: unknown;
  };
  const idempotencyKey = typeof key === "string" ? key : undefined;
  try {
    const checked = checkOrder(isObject(sent) ? body : sent);
    if (checked !== true) throw invalidFields(checked.error);
    const valid = { idempotencyKey: requireKey(key), request: toOrderRequest(body as PlaceOrderBody) };
    return { idempotencyKey, input: { ...valid, scenario } };
  } catch (error) {
    return { idempotencyKey, error };
  }
}

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function requireKey(key: unknown): string {
  if (key === undefined || key === "")
    throw new Problem("idempotency_key_missing", "Send an idempotencyKey with every order.");
  if (!isIdempotencyKey(key))
    throw new Problem(
      "idempotency_key_invalid",
      "The idempotencyKey must be 1 to 255 printable ASCII characters.",
    );
  return key;
}

function describe(problems: ProblemDeps, request: FastifyRequest, result: PlaceOrdersResult): object {
  if ("error" in result) return { error: describeProblem(problems, result.error, request) };
  const { id, status, totalMinor, currency } = result.order;
  return {
    order: { id, status, total: money(totalMinor, currency) },
    ...(result.replayed ? { replayed: true } : {}),
  };
}
