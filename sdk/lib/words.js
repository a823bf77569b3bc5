/** The words that the API uses today, in the order of its reference. A test compares them. */
export const ORDER_STATUSES = ["pending", "processing", "completed", "failed", "refunded"];
export const ENVIRONMENTS = ["live", "test"];
export const ACCOUNT_CHECK_RESULTS = ["valid", "invalid", "unknown"];
export const FULFILMENTS = ["partial", "all_or_nothing"];
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
];
export const CATALOG_CHANGES = ["upserted", "removed"];
export const PRODUCT_TYPES = ["gift_card", "top_up"];
export const GOODS_TYPES = ["code", "url", "topup"];
export const INPUT_FIELD_TYPES = ["text", "number", "select"];
export const WALLET_ENTRY_TYPES = ["deposit", "order", "refund", "adjustment"];
export const DEPOSIT_STATUSES = ["requested", "received", "credited", "rejected"];
export const EVENT_STATUSES = ["fulfilled", "refunded", "partially_refunded"];
export const DELIVERY_STATUSES = ["pending", "delivered", "failed"];
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
];
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
];
