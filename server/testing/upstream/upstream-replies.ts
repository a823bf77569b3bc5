import { Problem, type ProblemOptions, problemBody } from "../../src/lib/problem.ts";
import { type ProblemCode, problemTable } from "../../src/lib/problem-table.ts";
import type { OrderView } from "../../src/orders/schemas.ts";
import { newId } from "../builders/new-id.ts";
import type { Reply } from "./upstream-dialect.ts";
import { idFrom, type Purchase, statusOf } from "./upstream-ledger.ts";

export const jsonReply = (
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Reply => ({
  status,
  headers: {
    "content-type": "application/json; charset=utf-8",
    "x-request-id": newId("req"),
    "x-content-type-options": "nosniff",
    ...headers,
  },
  text: JSON.stringify(body),
});

export const placedReply = (purchase: Purchase, replayed: boolean): Reply =>
  jsonReply(
    202,
    { order: { id: purchase.orderId, status: statusOf(purchase), total: PRICE } },
    {
      location: `/v1/orders/${purchase.orderId}`,
      ...(replayed ? { "idempotent-replayed": "true" } : {}),
    },
  );

export const orderReply = (purchase: Purchase): Reply => jsonReply(200, { order: orderView(purchase) });

export const pageReply = (purchases: readonly Purchase[]): Reply =>
  jsonReply(200, { data: purchases.map(orderView), hasMore: false, nextCursor: "" });

export function codesReply(purchase: Purchase): Reply {
  const status = statusOf(purchase);
  if (!purchase.goods) return notFulfilledReply(status);
  return jsonReply(
    200,
    { orderId: purchase.orderId, status, data: [codeView(purchase)] },
    { "cache-control": "no-store" },
  );
}

export const notFulfilledReply = (orderStatus: string): Reply =>
  problemReply("order_not_fulfilled", { members: { orderStatus } });

export function problemReply(code: ProblemCode, options: ProblemOptions = {}): Reply {
  const requestId = newId("req");
  const problem = new Problem(code, problemTable[code].meaning, options);
  return {
    status: problem.status,
    headers: {
      "content-type": "application/problem+json; charset=utf-8",
      "x-request-id": requestId,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      ...extraHeaders[code],
    },
    text: JSON.stringify(problemBody(problem, "http://upstream.example", requestId)),
  };
}

const extraHeaders: Partial<Record<ProblemCode, Readonly<Record<string, string>>>> = {
  unauthenticated: { "www-authenticate": 'Bearer realm="scrip"' },
  rate_limited: { "retry-after": "1" },
  service_unavailable: { "retry-after": "1" },
};

/** The price of one unit here, which is the cost of the routes that tests create. */
const PRICE = { amount: 80, currency: "USD" };
const NOTHING = { amount: 0, currency: "USD" };

function orderView(purchase: Purchase): OrderView {
  const status = statusOf(purchase);
  const isRefunded = status === "refunded";
  const hasFailed = status === "failed" || isRefunded;
  return {
    id: purchase.orderId,
    status,
    total: PRICE,
    createdAt: purchase.createdAt.toISOString(),
    updatedAt: purchase.updatedAt.toISOString(),
    ...(purchase.note === undefined ? {} : { reference: purchase.note }),
    refundedTotal: isRefunded ? PRICE : NOTHING,
    lines: [
      {
        productId: purchase.sku,
        name: `Product ${purchase.sku}`,
        unitPrice: PRICE,
        quantity: 1,
        lineTotal: PRICE,
        ...(purchase.inputFields ? { inputFields: purchase.inputFields } : {}),
        fulfilledQuantity: status === "completed" ? 1 : 0,
        refundedQuantity: isRefunded ? 1 : 0,
        ...(hasFailed && purchase.course.failureCode ? { failureCode: purchase.course.failureCode } : {}),
      },
    ],
  };
}

export const codeView = (purchase: Purchase) => ({
  id: idFrom("cod", [purchase.orderId]),
  lineIndex: 0,
  productId: purchase.sku,
  ...purchase.goods,
  deliveredAt: purchase.updatedAt.toISOString(),
});
