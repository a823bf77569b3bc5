/** SPEC.md, Events, and the one that a test delivery sends. New types may be added. */
export const EVENT_TYPES = ["order.fulfilled", "order.refunded", "webhook.test"] as const;
export type EventType = (typeof EVENT_TYPES)[number];

export const isEventType = (text: string): text is EventType =>
  (EVENT_TYPES as readonly string[]).includes(text);
