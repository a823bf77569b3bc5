import type { Open } from "./shapes.ts";
import type { CreatedFilters, PageFilters } from "./types.ts";
import type { DELIVERY_STATUSES, EVENT_STATUSES, EVENT_TYPES } from "./words.ts";

/** An event, exactly as it is delivered. It never holds a code: fetch those with your key. */
export type ScripEvent = { id: string; type: EventTypeName; created_at: string; data: ScripEventData };

/** New ones are added at any time. */
export type EventTypeName = Open<(typeof EVENT_TYPES)[number]>;

/** Which of them are there, and what else, depends on the event's type. */
export type ScripEventData = {
  order_id?: string;
  status?: Open<(typeof EVENT_STATUSES)[number]>;
  webhook_id?: string;
};

export type EventFilters = PageFilters &
  CreatedFilters & { type?: EventTypeName | undefined; orderId?: string | undefined };

export type EventType = { type: EventTypeName; description: string };

export type Webhook = {
  id: string;
  url: string;
  /** What it is subscribed to: all there are now, when none were chosen. */
  events: EventTypeName[];
  active: boolean;
  createdAt: string;
  updatedAt: string;
  /** Since when every delivery has failed. */
  failingSince?: string;
};

/** Without `events` it gets all of them, future ones too. */
export type RegisterWebhookInput = { url: string; events?: readonly EventTypeName[] | undefined };

/** The secret is shown this once. */
export type RegisteredWebhook = { webhook: Webhook; secret: string };

export type UpdateWebhookInput = {
  url?: string | undefined;
  /** `null` is all types, future ones too. */
  events?: readonly EventTypeName[] | null | undefined;
  active?: boolean | undefined;
};

/** How long the secret before goes on signing beside the new one: at most 7 days, a day when you do not say. */
export type RotateSecretInput = { gracePeriodSeconds?: number | undefined };

export type RotatedSecret = RegisteredWebhook & { previousSecretExpiresAt: string };

/** `since` is inclusive, `until` exclusive; a text is RFC 3339. */
export type RecoverInput = { since: string | Date; until?: string | Date | undefined };

/** With `hasMore` the same request recovers the rest. */
export type Recovery = { recovered: number; hasMore: boolean };

export type KnownDeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type Delivery = {
  id: string;
  eventId: string;
  eventType: string;
  webhookId: string;
  status: Open<KnownDeliveryStatus>;
  attemptCount: number;
  /** The latest of them. */
  attempts: DeliveryAttempt[];
  nextAttemptAt?: string;
  createdAt: string;
  deliveredAt?: string;
};

export type DeliveryAttempt = {
  /** Counts all attempts of the delivery from 1. */
  number: number;
  at: string;
  /** What your endpoint answered. */
  status?: number;
  error?: string;
  latencyMs: number;
  responseBody?: string;
};

/** The times are those of the event. */
export type DeliveryFilters = PageFilters &
  CreatedFilters & {
    status?: KnownDeliveryStatus | undefined;
    eventType?: EventTypeName | undefined;
    eventId?: string | undefined;
    orderId?: string | undefined;
  };
