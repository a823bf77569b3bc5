/** The words that the API uses today, in the order of its reference, where a test looks them up. */
export const ORDER_STATUSES = ["pending", "processing", "completed", "failed", "refunded"] as const;
export const GOODS_TYPES = ["code", "url", "topup"] as const;
export const INPUT_FIELD_TYPES = ["text", "number", "select"] as const;
export const WALLET_ENTRY_TYPES = ["deposit", "order", "refund", "adjustment"] as const;
export const EVENT_STATUSES = ["fulfilled", "refunded", "partially_refunded"] as const;
export const DELIVERY_STATUSES = ["pending", "delivered", "failed"] as const;
