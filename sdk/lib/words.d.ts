/** The words that the API uses today, in the order of its reference. A test compares them. */
export declare const ORDER_STATUSES: readonly ["pending", "processing", "completed", "failed", "refunded"];
export declare const ENVIRONMENTS: readonly ["live", "test"];
export declare const ACCOUNT_CHECK_RESULTS: readonly ["valid", "invalid", "unknown"];
export declare const FULFILMENTS: readonly ["partial", "all_or_nothing"];
export declare const TIMELINE_TYPES: readonly ["accepted", "processing", "unit_delivered", "unit_refused", "completed", "failed", "refunded", "event_created", "event_delivered", "codes_revealed"];
export declare const CATALOG_CHANGES: readonly ["upserted", "removed"];
export declare const PRODUCT_TYPES: readonly ["gift_card", "top_up"];
export declare const GOODS_TYPES: readonly ["code", "url", "topup"];
export declare const INPUT_FIELD_TYPES: readonly ["text", "number", "select"];
export declare const WALLET_ENTRY_TYPES: readonly ["deposit", "order", "refund", "adjustment"];
export declare const DEPOSIT_STATUSES: readonly ["requested", "received", "credited", "rejected"];
export declare const EVENT_STATUSES: readonly ["fulfilled", "refunded", "partially_refunded"];
export declare const DELIVERY_STATUSES: readonly ["pending", "delivered", "failed"];
export declare const EVENT_TYPES: readonly ["order.fulfilled", "order.refunded", "deposit.credited", "webhook.test", "wallet.low", "endpoint.disabled", "key.created", "key.revoked", "catalog.changed"];
export declare const TEST_SCENARIOS: readonly ["insufficient_funds", "out_of_stock", "product_not_purchasable", "rate_limited", "internal_error", "service_unavailable", "success", "failed", "refunded", "partial", "delayed", "stuck", "refunded_after_completion", "webhook_duplicate", "webhook_late", "webhook_bad_signature"];
