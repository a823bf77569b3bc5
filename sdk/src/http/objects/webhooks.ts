import type {
  Delivery,
  DeliveryAttempt,
  ScripEvent,
  ScripEventData,
  Webhook,
} from "../../webhooks/webhook-types.ts";
import { DELIVERY_STATUSES, ENVIRONMENTS, EVENT_STATUSES } from "../../words.ts";
import { count, flag, list, object, optional, text, wordOf } from "../shapes.ts";
import { money } from "./common.ts";

export const event = object<ScripEvent>({
  id: text,
  type: text,
  created_at: text,
  data: object<ScripEventData>({
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

export const webhook = object<Webhook>({
  id: text,
  url: text,
  events: list(text),
  active: flag,
  createdAt: text,
  updatedAt: text,
  failingSince: optional(text),
});

const attempt = object<DeliveryAttempt>({
  number: count,
  at: text,
  status: optional(count),
  error: optional(text),
  latencyMs: count,
  responseBody: optional(text),
});

export const delivery = object<Delivery>({
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
