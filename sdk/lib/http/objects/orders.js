import { FULFILMENTS, ORDER_STATUSES, TIMELINE_TYPES } from "../../words.js";
import { count, list, object, optional, text, texts, wordOf } from "../shapes.js";
import { money } from "./common.js";
export const orderStatus = wordOf(ORDER_STATUSES);
export const placedOrder = object({ id: text, status: orderStatus, total: money });
const orderLine = object({
    productId: text,
    name: text,
    unitPrice: money,
    quantity: count,
    lineTotal: money,
    inputFields: optional(texts),
    fulfilledQuantity: count,
    refundedQuantity: count,
    failureCode: optional(text),
});
export const order = object({
    id: text,
    status: orderStatus,
    total: money,
    createdAt: text,
    updatedAt: text,
    reference: optional(text),
    fulfilment: optional(wordOf(FULFILMENTS)),
    refundedTotal: money,
    lines: list(orderLine),
});
export const timelineEntry = object({
    at: text,
    type: wordOf(TIMELINE_TYPES),
    lineIndex: optional(count),
    unitIndex: optional(count),
    failureCode: optional(text),
    amount: optional(money),
    eventId: optional(text),
    eventType: optional(text),
    webhookId: optional(text),
    codeCount: optional(count),
    keyId: optional(text),
});
