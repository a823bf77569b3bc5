/**
 * Every error the API can answer, once (CONTRACT 1). The status, the title and the page under /errors/{code} come from
 * here. A code is a stable contract: rows are added, never renamed.
 */
type ProblemKind = { status: number; title: string; meaning: string; remedy: string };

export const problemTable = {
  invalid_request: {
    status: 400,
    title: "The request is not valid",
    meaning:
      "The body, a parameter or a header could not be read or breaks its schema. `errors` names each field at fault by JSON Pointer, or `?name` for a query parameter.",
    remedy:
      "Correct the fields named in `errors` and send the request again. Repeating it unchanged fails again.",
  },
  invalid_cursor: {
    status: 400,
    title: "The cursor is not valid",
    meaning:
      "A cursor works only with the key's reseller and environment, the endpoint and the filters of the page it came from, and only unchanged.",
    remedy:
      "Pass `nextCursor` of the previous page exactly as it was, with the same filters, or start again without a cursor.",
  },
  idempotency_key_missing: {
    status: 400,
    title: "The Idempotency-Key header is missing",
    meaning: "Placing an order needs an Idempotency-Key, so that a retry can never place a second order.",
    remedy:
      "Make one key for each order you mean to place, store it with that order, and send it with every try.",
  },
  idempotency_key_invalid: {
    status: 400,
    title: "The Idempotency-Key header is not valid",
    meaning: "The key must be 1 to 255 printable ASCII characters, sent once.",
    remedy: "Use a UUID or your own order number.",
  },
  invalid_test_scenario: {
    status: 400,
    title: "The X-Test-Scenario header is not valid",
    meaning: "The sandbox does not know this scenario. `detail` names those it knows.",
    remedy: "Use one of the scenarios named in `detail`, or leave the header out.",
  },
  unauthenticated: {
    status: 401,
    title: "The API key is missing or not valid",
    meaning:
      "No key was sent, or the key is malformed, unknown, expired or revoked, or two different keys were sent. The answer is the same for all of these.",
    remedy:
      "Send one valid key in `X-API-Key`, or in `Authorization: Bearer`. Keys are shown once, at creation; a lost key is replaced by a new one.",
  },
  insufficient_funds: {
    status: 402,
    title: "The wallet does not hold enough",
    meaning: "The order costs more than the wallet holds. Nothing was charged and no order was placed.",
    remedy: "Top the wallet up and send the same request with the same Idempotency-Key.",
  },
  forbidden: {
    status: 403,
    title: "The key lacks the scope",
    meaning:
      "The key is valid, but its scopes do not cover this operation. `detail` names the scope that is needed.",
    remedy: "Use a key with that scope.",
  },
  ip_not_allowed: {
    status: 403,
    title: "The address is not allowed",
    meaning: "The key is locked to a list of addresses, and this request came from another one.",
    remedy: "Send the request from an allowed address, or use a key whose list holds this one.",
  },
  reseller_frozen: {
    status: 403,
    title: "Placing orders is suspended",
    meaning:
      "The operator has suspended this reseller. No new order is accepted; everything can still be read, and a repeated request still answers with its order.",
    remedy: "Ask the operator. Orders that were accepted before go on.",
  },
  not_found: {
    status: 404,
    title: "Not found",
    meaning:
      "There is nothing here that this key may see. What belongs to others and what does not exist look the same.",
    remedy:
      "Check the path and the id, and that the key's environment (live or test) is the one the object was made in.",
  },
  method_not_allowed: {
    status: 405,
    title: "The method is not allowed here",
    meaning: "The path exists, but not with this method. The `Allow` header lists those it has.",
    remedy: "Use one of the methods in `Allow`.",
  },
  payload_too_large: {
    status: 413,
    title: "The body is too large",
    meaning: "A request body may hold at most 64 KiB.",
    remedy: "Send less in one request, for example by splitting an order.",
  },
  unsupported_media_type: {
    status: 415,
    title: "The body is not JSON",
    meaning:
      "Bodies are accepted as `application/json` in UTF-8, without content encoding, and as nothing else.",
    remedy: "Set `Content-Type: application/json` and send plain JSON.",
  },
  idempotency_conflict: {
    status: 409,
    title: "The Idempotency-Key belongs to a different request",
    meaning:
      "An order with this key exists, and its lines or reference differ from what was sent now. Nothing was placed.",
    remedy: "For a new order use a new key. To repeat the earlier one send exactly what was sent then.",
  },
  idempotency_in_progress: {
    status: 409,
    title: "A request with this Idempotency-Key is still under way",
    meaning: "Another request with the same key has not finished yet.",
    remedy: "Wait for the seconds in `Retry-After` and send the same request again.",
  },
  order_not_fulfilled: {
    status: 409,
    title: "The order has no codes yet",
    meaning: "Nothing of this order has been delivered. `orderStatus` tells where it stands.",
    remedy: "Wait for `order.fulfilled`, or poll the order until it is `completed`.",
  },
  price_changed: {
    status: 409,
    title: "The price has changed",
    meaning:
      "`expectedTotal` was sent and the order costs something else now, as `currentTotal` tells. Nothing was placed.",
    remedy: "Show the new price to whoever decides, then order again with the new `expectedTotal`.",
  },
  webhook_limit_reached: {
    status: 409,
    title: "There are too many webhook endpoints",
    meaning: "A reseller has at most 16 endpoints in each environment.",
    remedy: "Delete an endpoint that is no longer needed.",
  },
  secret_limit_reached: {
    status: 409,
    title: "There are too many signing secrets",
    meaning: "An endpoint has at most three living secrets, those in their grace period included.",
    remedy: "Wait until an older secret has expired, or rotate with a shorter grace period next time.",
  },
  webhook_inactive: {
    status: 409,
    title: "The webhook endpoint is not active",
    meaning: "Nothing is sent to an endpoint that is not active, so nothing was begun.",
    remedy: "Set `active` to true with `PATCH /v1/webhooks/{id}`, then send the request again.",
  },
  product_not_purchasable: {
    status: 422,
    title: "The product cannot be bought now",
    meaning:
      "A product of the order has no price for this reseller or is not on sale at the moment. Nothing was placed.",
    remedy: "Offer only products whose `purchasable` is true; read the catalog again.",
  },
  out_of_stock: {
    status: 422,
    title: "The product is out of stock",
    meaning:
      "There is not enough of a product of the order, in all of its lines together. `available` tells how many there are, where that is known. Nothing was placed.",
    remedy: "Order fewer units or try again later.",
  },
  quantity_out_of_range: {
    status: 422,
    title: "The quantity is out of range",
    meaning: "A line's quantity is below the product's `minQuantity` or above its `maxQuantity`.",
    remedy: "Order within the product's bounds; split a larger order over several lines or orders.",
  },
  invalid_input_field: {
    status: 422,
    title: "An input field is not valid",
    meaning:
      "A line's `inputFields` lack a required key, hold an unknown one, or hold a value that the product's specification refuses. `errors` points at each.",
    remedy: "Build the form from the product's `inputFields` and send every value as a string.",
  },
  currency_mismatch: {
    status: 422,
    title: "The currencies do not match",
    meaning: "The wallet's currency and that of a price differ.",
    remedy: "Order products that are priced in the wallet's currency.",
  },
  webhook_url_not_allowed: {
    status: 422,
    title: "The webhook URL is not allowed",
    meaning:
      "A webhook URL must be https, without credentials or fragment, on an allowed port, and reach public addresses alone.",
    remedy:
      "Register a public https address. On a server of your own, `WEBHOOK_ALLOW_NETWORKS` lets webhooks reach addresses of yours for development.",
  },
  rate_limited: {
    status: 429,
    title: "Too many requests",
    meaning:
      "The key has used up its allowance for the moment. `RateLimit` tells what is left and `Retry-After` how long to wait. Test events of one webhook endpoint have an allowance of their own.",
    remedy: "Wait for the seconds in `Retry-After`. Nothing was done, so the same request may be sent again.",
  },
  internal_error: {
    status: 500,
    title: "Something broke on our side",
    meaning: "The request hit a fault of the service. What broke is in our log under the request id.",
    remedy:
      "Retry with the same Idempotency-Key: that is always safe. If it keeps failing, tell the operator the `request_id`.",
  },
  service_unavailable: {
    status: 503,
    title: "The service is not available for the moment",
    meaning: "The service is starting, stopping, overloaded or cut off from its database.",
    remedy:
      "Wait for the seconds in `Retry-After` and retry with the same Idempotency-Key: that is always safe.",
  },
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof problemTable;

export const problemCodes = Object.keys(problemTable) as ProblemCode[];
