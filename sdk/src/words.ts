/** The words that the API uses today, in the order of its reference. A test compares them. */
export const ORDER_STATUSES = ["pending", "processing", "completed", "failed", "refunded"] as const;
export const ENVIRONMENTS = ["live", "test"] as const;
export const ACCOUNT_CHECK_RESULTS = ["valid", "invalid", "unknown"] as const;
export const FULFILMENTS = ["partial", "all_or_nothing"] as const;
export const TIMELINE_TYPES = [
  "accepted",
  "processing",
  "unit_delivered",
  "unit_refused",
  "completed",
  "failed",
  "refunded",
  "event_created",
  "event_delivered",
  "codes_revealed",
] as const;
export const CATALOG_CHANGES = ["upserted", "removed"] as const;
export const PRODUCT_TYPES = ["gift_card", "top_up"] as const;
export const GOODS_TYPES = ["code", "url", "topup"] as const;
export const INPUT_FIELD_TYPES = ["text", "number", "select"] as const;
export const WALLET_ENTRY_TYPES = ["deposit", "order", "refund", "adjustment"] as const;
export const DEPOSIT_STATUSES = ["requested", "received", "credited", "rejected"] as const;
export const EVENT_STATUSES = ["fulfilled", "refunded", "partially_refunded"] as const;
export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
export const EVENT_TYPES = [
  "order.fulfilled",
  "order.refunded",
  "deposit.credited",
  "webhook.test",
  "wallet.low",
  "endpoint.disabled",
  "key.created",
  "key.revoked",
  "catalog.changed",
] as const;
export const TEST_SCENARIOS = [
  "insufficient_funds",
  "out_of_stock",
  "product_not_purchasable",
  "rate_limited",
  "internal_error",
  "service_unavailable",
  "success",
  "failed",
  "refunded",
  "partial",
  "delayed",
  "stuck",
  "refunded_after_completion",
  "webhook_duplicate",
  "webhook_late",
  "webhook_bad_signature",
] as const;
