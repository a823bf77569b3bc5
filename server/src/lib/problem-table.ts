/**
 * Every error that the API returns (CONTRACT 1). It defines the status, the title and the page under /errors/{code}.
 * A code is a stable contract: add rows, but never rename one.
 */
type ProblemKind = { status: number; title: string; meaning: string; remedy: string };

export const problemTable = {
  invalid_request: {
    status: 400,
    title: "Invalid request",
    meaning:
      "The body, a parameter or a header could not be parsed or does not match its schema. `errors` identifies each invalid field by JSON Pointer, or by `?name` for a query parameter.",
    remedy: "Fix the fields listed in `errors` and send the request again. An unchanged request fails again.",
  },
  invalid_cursor: {
    status: 400,
    title: "Invalid cursor",
    meaning:
      "A cursor is valid only unchanged, for the same reseller, environment, endpoint and filters as the page that returned it.",
    remedy:
      "Pass `nextCursor` from the previous page unchanged, with the same filters, or start again without a cursor.",
  },
  idempotency_key_missing: {
    status: 400,
    title: "Missing Idempotency-Key header",
    meaning: "Placing an order requires an Idempotency-Key, so that a retry never places a second order.",
    remedy: "Generate one key for each order, store it with the order, and send it with every attempt.",
  },
  idempotency_key_invalid: {
    status: 400,
    title: "Invalid Idempotency-Key header",
    meaning: "The key must be 1 to 255 printable ASCII characters, and the header must be sent once.",
    remedy: "Use a UUID or your own order number.",
  },
  invalid_test_scenario: {
    status: 400,
    title: "Invalid X-Test-Scenario header",
    meaning: "The sandbox does not have this scenario. `detail` lists the available scenarios.",
    remedy: "Use one of the scenarios listed in `detail`, or omit the header.",
  },
  unauthenticated: {
    status: 401,
    title: "Missing or invalid API key",
    meaning:
      "No key was sent, the key is malformed, unknown, expired or revoked, or two different keys were sent. The response is the same in all cases.",
    remedy:
      "Send one valid key in `X-API-Key` or in `Authorization: Bearer`. A key is shown only once, when it is created; replace a lost key with a new one.",
  },
  insufficient_funds: {
    status: 402,
    title: "Insufficient funds",
    meaning: "The order costs more than the wallet balance. Nothing was charged and no order was placed.",
    remedy: "Top up the wallet and send the same request with the same Idempotency-Key.",
  },
  spend_limit_reached: {
    status: 402,
    title: "Spending limit of the key reached",
    meaning:
      "The key has a limit for one order, or for a day in UTC, and this order would exceed it. `detail` says which limit, and what is left. Nothing was charged and no order was placed.",
    remedy:
      "For the limit of an order, split the order. For the limit of a day, wait until 00:00 UTC and send the same request with the same Idempotency-Key. An owner or developer can raise the limit on the page of the key in the dashboard.",
  },
  forbidden: {
    status: 403,
    title: "Missing scope",
    meaning:
      "The key is valid, but does not have the scope that this operation requires. `detail` names the scope.",
    remedy: "Use a key that has the scope.",
  },
  ip_not_allowed: {
    status: 403,
    title: "IP address not allowed",
    meaning: "The key has an IP allowlist, and the request came from an address that is not on it.",
    remedy: "Send the request from an allowed address, or use a key that allows this address.",
  },
  reseller_frozen: {
    status: 403,
    title: "Ordering suspended",
    meaning:
      "The operator has suspended this reseller. New orders are refused. Reading still works, and repeating an accepted request still returns its order.",
    remedy: "Contact the operator. Orders accepted before the suspension are still processed.",
  },
  key_frozen: {
    status: 403,
    title: "Key frozen",
    meaning:
      "The key would have spent many times what it usually spends in an hour, and was frozen. New orders with it are refused. Reading still works, and repeating an accepted request still returns its order. Other keys are not affected.",
    remedy:
      "Find out who used the key. If it was you, an owner or developer can unfreeze it on the page of the key in the dashboard. If it was not, revoke it.",
  },
  not_found: {
    status: 404,
    title: "Resource not found",
    meaning:
      "The resource does not exist or does not belong to this key's reseller and environment. The response is the same in both cases.",
    remedy:
      "Check the path and the id, and check that the resource was created in the key's environment (live or test).",
  },
  method_not_allowed: {
    status: 405,
    title: "Method not allowed",
    meaning:
      "The path exists, but does not support this method. The `Allow` header lists the supported methods.",
    remedy: "Use one of the methods in `Allow`.",
  },
  payload_too_large: {
    status: 413,
    title: "Request body too large",
    meaning: "A request body can be at most 64 KiB.",
    remedy: "Send a smaller request, for example by splitting the order.",
  },
  unsupported_media_type: {
    status: 415,
    title: "Unsupported media type",
    meaning: "A request body must be `application/json` in UTF-8, without content encoding.",
    remedy: "Set `Content-Type: application/json` and send plain JSON.",
  },
  idempotency_conflict: {
    status: 409,
    title: "Idempotency-Key already used",
    meaning:
      "An order with this key already exists, and its lines or reference differ from this request. No order was placed.",
    remedy: "Use a new key for a new order. To repeat the earlier request, send exactly the same body.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "Request still in progress",
    meaning: "Another request with the same Idempotency-Key has not finished yet.",
    remedy: "Wait for the number of seconds in `Retry-After`, then send the same request again.",
  },
  order_not_fulfilled: {
    status: 409,
    title: "Order has no codes yet",
    meaning: "No unit of this order has been delivered yet. `orderStatus` is the order's current status.",
    remedy: "Wait for `order.fulfilled`, or poll the order until it is `completed`.",
  },
  codes_unavailable: {
    status: 409,
    title: "Order will have no codes",
    meaning:
      "The order ended without delivering a unit, and its money is back or on its way back. `orderStatus` is the order's status.",
    remedy: "Stop polling. Place a new order if you still want the products.",
  },
  price_changed: {
    status: 409,
    title: "Price changed",
    meaning:
      "The order total differs from `expectedTotal`. `currentTotal` is the current total. No order was placed.",
    remedy: "Confirm the new price, then order again with the new `expectedTotal`.",
  },
  deposit_limit_reached: {
    status: 409,
    title: "Too many open deposits",
    meaning: "100 deposits of the last 30 days still wait for their payment.",
    remedy: "Pay one of them with its reference, or ask the operator to reject those that you do not need.",
  },
  encryption_key_limit_reached: {
    status: 409,
    title: "Too many encryption keys",
    meaning:
      "You have registered as many encryption keys as are kept, counting those that were replaced. Nothing was changed.",
    remedy: "Register one of your earlier keys again, or ask the operator.",
  },
  webhook_limit_reached: {
    status: 409,
    title: "Too many webhook endpoints",
    meaning: "A reseller can have at most 16 endpoints in each environment.",
    remedy: "Delete an endpoint that you no longer need.",
  },
  secret_limit_reached: {
    status: 409,
    title: "Too many signing secrets",
    meaning: "An endpoint can have at most three active secrets, including those in their grace period.",
    remedy: "Wait until an older secret expires. Use a shorter grace period the next time you rotate.",
  },
  webhook_inactive: {
    status: 409,
    title: "Webhook endpoint inactive",
    meaning: "No events are sent to an inactive endpoint, so the request was refused.",
    remedy: "Set `active` to true with `PATCH /v1/webhooks/{id}`, then send the request again.",
  },
  product_not_purchasable: {
    status: 422,
    title: "Product not purchasable",
    meaning:
      "A product in the order has no price for this reseller or is currently not on sale. No order was placed.",
    remedy: "Offer only products with `purchasable: true`. Refresh the catalog.",
  },
  out_of_stock: {
    status: 422,
    title: "Product out of stock",
    meaning:
      "There is not enough stock of a product for all lines of the order. `available` is the number of units left, if known. No order was placed.",
    remedy: "Order fewer units, or try again later.",
  },
  quantity_out_of_range: {
    status: 422,
    title: "Quantity out of range",
    meaning: "A line's quantity is below the product's `minQuantity` or above its `maxQuantity`.",
    remedy: "Stay within the product's limits. Split a larger quantity into several lines or orders.",
  },
  invalid_input_field: {
    status: 422,
    title: "Invalid input field",
    meaning:
      "In a line's `inputFields`, a required key is missing, a key is unknown, or a value does not match the product's specification. `errors` points to each field.",
    remedy: "Build the form from the product's `inputFields` and send every value as a string.",
  },
  currency_mismatch: {
    status: 422,
    title: "Currency mismatch",
    meaning: "A price is not in the wallet's currency.",
    remedy: "Order products that are priced in the wallet's currency.",
  },
  webhook_url_not_allowed: {
    status: 422,
    title: "Webhook URL not allowed",
    meaning:
      "A webhook URL must use https, must not contain credentials or a fragment, must use an allowed port, and must resolve to public addresses only.",
    remedy:
      "Register a public https URL. On your own server, set `WEBHOOK_ALLOW_NETWORKS` to reach private addresses during development.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    meaning:
      "The key has exceeded its rate limit. `RateLimit` shows what is left and `Retry-After` how long to wait. Test events have a separate limit for each webhook endpoint.",
    remedy:
      "Wait for the number of seconds in `Retry-After`, then send the same request again. Nothing was processed.",
  },
  internal_error: {
    status: 500,
    title: "Internal error",
    meaning: "The server failed to process the request. The cause is logged under the request id.",
    remedy:
      "Retry with the same Idempotency-Key; this is always safe. If it keeps failing, send the `request_id` to the operator.",
  },
  service_unavailable: {
    status: 503,
    title: "Service unavailable",
    meaning: "The service is starting, stopping, overloaded or unable to reach its database.",
    remedy:
      "Wait for the number of seconds in `Retry-After`, then retry with the same Idempotency-Key; this is always safe.",
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problemTable;

export const problemCodes = Object.keys(problemTable) as ProblemCode[];
