import { DELIVERY_STATUSES, ENVIRONMENTS, EVENT_STATUSES } from "../../words.js";
import { count, flag, list, object, optional, text, wordOf } from "../shapes.js";
import { money } from "./common.js";
export const event = object({
    id: text,
    type: text,
    created_at: text,
    data: object({
        order_id: optional(text),
        status: optional(wordOf(EVENT_STATUSES)),
        reference: optional(text),
        environment: optional(wordOf(ENVIRONMENTS)),
        deposit_id: optional(text),
        amount: optional(money),
        webhook_id: optional(text),
        failing_since: optional(text),
        noticed_at: optional(text),
        balance: optional(money),
        threshold: optional(money),
        key_id: optional(text),
        key_hint: optional(text),
        replaces_key_id: optional(text),
    }),
});
export const webhook = object({
    id: text,
    url: text,
    events: list(text),
    active: flag,
    createdAt: text,
    updatedAt: text,
    failingSince: optional(text),
});
const attempt = object({
    number: count,
    at: text,
    status: optional(count),
    error: optional(text),
    latencyMs: count,
    responseBody: optional(text),
});
export const delivery = object({
    id: text,
    eventId: text,
    eventType: text,
    webhookId: text,
    status: wordOf(DELIVERY_STATUSES),
    attemptCount: count,
    attempts: list(attempt),
    nextAttemptAt: optional(text),
    createdAt: text,
    deliveredAt: optional(text),
});
