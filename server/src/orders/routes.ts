import type { FastifyInstance } from "fastify";
import { callerOf } from "../http/caller.ts";
import { jsonOrCsvReply, linkNextPage, nextPageHeader, sendCsv, wantsCsv } from "../http/csv-reply.ts";
import { jsonReply } from "../http/json-reply.ts";
import { Type } from "../http/openapi/type.ts";
import { pageParameters } from "../http/page.ts";
import type { CursorCodec } from "../lib/cursor.ts";
import { readScenario } from "../sandbox/read-scenario.ts";
import { SCENARIOS } from "../sandbox/scenarios.ts";
import { getOrder } from "./get-order.ts";
import { getTimeline } from "./get-timeline.ts";
import { IDEMPOTENCY_KEY_MAX_CHARACTERS, readIdempotencyKey } from "./idempotency-key.ts";
import { listOrders } from "./list-orders.ts";
import { ORDER_HEADS, orderCells } from "./order-csv.ts";
import { ORDER_FILTERS } from "./order-filters.ts";
import { toOrderRequest } from "./order-request.ts";
import { money } from "./order-view.ts";
import { type PlaceOrderDeps, placeOrder } from "./place-order.ts";
import {
  OrderPage,
  OrderReply,
  PlacedOrderReply,
  type PlaceOrderBody,
  PlaceOrderRequest,
  TimelineReply,
} from "./schemas.ts";

export type OrderDeps = PlaceOrderDeps & { cursors: CursorCodec };

export function orderRoutes(app: FastifyInstance, deps: OrderDeps): void {
  placeOrderRoute(app, deps);
  readOrderRoutes(app, deps);
}

function placeOrderRoute(app: FastifyInstance, deps: OrderDeps): void {
  app.post<{ Body: PlaceOrderBody }>("/v1/orders", {
    config: {
      scope: "orders:write",
      limitClass: "orders",
      direct: true,
      problems: [
        "idempotency_key_missing",
        "idempotency_key_invalid",
        "insufficient_funds",
        "spend_limit_reached",
        "reseller_frozen",
        "key_frozen",
        "not_found",
        "payload_too_large",
        "unsupported_media_type",
        "idempotency_conflict",
        "idempotency_in_progress",
        "price_changed",
        "product_not_purchasable",
        "out_of_stock",
        "quantity_out_of_range",
        "invalid_input_field",
        "currency_mismatch",
      ],
    },
    schema: {
      operationId: "placeOrder",
      tags: ["Orders"],
      summary: "Place an order",
      description:
        "Buys one or more products. The order is charged to the wallet immediately and fulfilled in the background. You can send the same request with the same `Idempotency-Key` any number of times without placing a second order. A repeat returns the order's current state with `Idempotent-Replayed: true`.",
      headers: Type.Object({
        "Idempotency-Key": Type.String({
          minLength: 1,
          maxLength: IDEMPOTENCY_KEY_MAX_CHARACTERS,
          description: "A unique key for each order, 1 to 255 printable ASCII characters. Keys never expire.",
          examples: ["invoice-1001"],
        }),
        "X-Test-Scenario": Type.Optional(
          Type.String({
            description: `Test keys only: the scenario to simulate. Ignored for live keys.\n\n${scenarioList}`,
          }),
        ),
      }),
      body: PlaceOrderRequest,
      response: {
        202: {
          ...jsonReply("The order was accepted and charged.", PlacedOrderReply),
          headers: placedHeaders,
        },
      },
    },
    handler: async (request, reply) => {
      const idempotencyKey = readIdempotencyKey(request);
      const caller = callerOf(request);
      const input = {
        idempotencyKey,
        request: toOrderRequest(request.body),
        scenario: readScenario(caller, request.headers),
      };
      const { order, replayed } = await placeOrder(deps, caller, input);
      reply.code(202).header("location", `/v1/orders/${order.id}`);
      if (replayed) reply.header("idempotent-replayed", "true");
      return {
        order: { id: order.id, status: order.status, total: money(order.totalMinor, order.currency) },
        ...(replayed ? { replayed } : {}),
      };
    },
  });
}

function readOrderRoutes(app: FastifyInstance, deps: OrderDeps): void {
  app.get<{ Params: { id: string } }>("/v1/orders/:id", {
    config: { scope: "orders:read", problems: ["not_found"], direct: true },
    schema: {
      operationId: "getOrder",
      tags: ["Orders"],
      summary: "Get an order",
      description:
        "Returns one order with the names and prices at the time of ordering. An order of another reseller or environment is not found.",
      params: Type.Object({ id: Type.String({ description: "Order id." }) }),
      response: { 200: jsonReply("The order.", OrderReply) },
    },
    handler: async (request) => ({ order: await getOrder(deps.db, callerOf(request), request.params.id) }),
  });

  app.get<{ Params: { id: string } }>("/v1/orders/:id/timeline", {
    config: { scope: "orders:read", problems: ["not_found"] },
    schema: {
      operationId: "getOrderTimeline",
      tags: ["Orders"],
      summary: "Read an order's timeline",
      description:
        "What happened to the order, oldest first: its acceptance, each unit, refunds, events, their deliveries, and each time its codes were read. Events and deliveries are kept for 30 days.",
      params: Type.Object({ id: Type.String({ description: "Order id." }) }),
      response: { 200: jsonReply("The timeline.", TimelineReply) },
    },
    handler: async (request) => ({ data: await getTimeline(deps.db, callerOf(request), request.params.id) }),
  });

  app.get("/v1/orders", {
    config: { scope: "orders:read", problems: ["invalid_request", "invalid_cursor"] },
    schema: {
      operationId: "listOrders",
      tags: ["Orders"],
      summary: "List orders",
      description:
        "Returns orders, newest first. Filters can be combined; a page can then have fewer than `limit` orders, even none, while `hasMore` is true. A cursor works only with the filters it came from.",
      querystring: Type.Object({ ...pageParameters, ...filterParameters }),
      response: { 200: { ...jsonOrCsvReply("A page of orders.", OrderPage), headers: nextPageHeader } },
    },
    handler: async (request, reply) => {
      const page = await listOrders(deps, callerOf(request), request);
      if (!wantsCsv(request)) return page;
      linkNextPage(request, reply, page.nextCursor);
      return sendCsv(reply, ORDER_HEADS, page.data.map(orderCells));
    },
  });
}

const scenarioList = Object.entries(SCENARIOS)
  .map(([name, what]) => `- \`${name}\`: ${what}.`)
  .join("\n");

const filterParameters = Object.fromEntries(
  Object.entries(ORDER_FILTERS).map(([name, { schema }]) => [name, Type.Optional(schema)]),
);

const placedHeaders = {
  Location: {
    description: "The URL of the order.",
    schema: { type: "string", examples: ["/v1/orders/ord_…"] },
  },
  "Idempotent-Replayed": {
    description: "`true` if an earlier request with the same key already placed the order.",
    schema: { type: "string", examples: ["true"] },
  },
};
