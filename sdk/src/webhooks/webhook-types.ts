import type { Open } from "../http/shapes.ts";
import type { CreatedFilters, Money, PageFilters } from "../types/common.ts";
import type { DELIVERY_STATUSES, ENVIRONMENTS, EVENT_STATUSES, EVENT_TYPES } from "../words.ts";

/** An event, exactly as it is delivered. It never contains a code: fetch codes with your key. */
export type ScripEvent = { id: string; type: EventTypeName; created_at: string; data: ScripEventData };

/** New ones can be added at any time. */
export type EventTypeName = Open<(typeof EVENT_TYPES)[number]>;

/** Which members are present depends on the event's type. */
export type ScripEventData = {
  order_id?: string;
  status?: Open<(typeof EVENT_STATUSES)[number]>;
  /** Your reference of the order. */
  reference?: string;
  environment?: Open<(typeof ENVIRONMENTS)[number]>;
  deposit_id?: string;
  amount?: Money;
  webhook_id?: string;
  failing_since?: string;
  noticed_at?: string;
  balance?: Money;
  threshold?: Money;
  key_id?: string;
  key_hint?: string;
  replaces_key_id?: string;
};

export type EventFilters = PageFilters &
  CreatedFilters & { type?: EventTypeName | undefined; orderId?: string | undefined };

export type EventType = { type: EventTypeName; description: string };

export type Webhook = {
  id: string;
  url: string;
  /** The event types it subscribes to; all current types when none were chosen. */
  events: EventTypeName[];
  active: boolean;
  createdAt: string;
  updatedAt: string;
  /** Since when every attempt has failed. */
  failingSince?: string;
};

/** Without `events` it gets all types, including future ones. */
export type RegisterWebhookInput = { url: string; events?: readonly EventTypeName[] | undefined };

/** The secret is shown only once. */
export type RegisteredWebhook = { webhook: Webhook; secret: string };

export type UpdateWebhookInput = {
  url?: string | undefined;
  /** `null` means all types, including future ones. */
  events?: readonly EventTypeName[] | null | undefined;
  active?: boolean | undefined;
};

/** How long the previous secret keeps signing next to the new one. The default is a day, the maximum 7 days. */
export type RotateSecretInput = { gracePeriodSeconds?: number | undefined };

export type RotatedSecret = RegisteredWebhook & { previousSecretExpiresAt: string };

/** `since` is inclusive, `until` exclusive; a text is RFC 3339. */
export type RecoverInput = { since: string | Date; until?: string | Date | undefined };

/** While `hasMore` is true, the same request recovers the rest. */
export type Recovery = { recovered: number; hasMore: boolean };

export type KnownDeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export type Delivery = {
  id: string;
  eventId: string;
  eventType: string;
  webhookId: string;
  status: Open<KnownDeliveryStatus>;
  attemptCount: number;
  /** The latest attempts. */
  attempts: DeliveryAttempt[];
  nextAttemptAt?: string;
  createdAt: string;
  deliveredAt?: string;
};

export type DeliveryAttempt = {
  /** The number of the attempt, from 1. */
  number: number;
  at: string;
  /** The HTTP status of your endpoint's response. */
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
