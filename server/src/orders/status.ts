/** SPEC.md, States and transitions. */
export const ORDER_STATUSES = ["pending", "processing", "completed", "failed", "refunded"] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

export const isOrderStatus = (text: string): text is OrderStatus =>
  (ORDER_STATUSES as readonly string[]).includes(text);
