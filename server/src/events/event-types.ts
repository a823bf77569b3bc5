import type { Static, TObject } from "typebox";
import { Type } from "../http/openapi/type.ts";

/** Everything that is known about a type of event. Routes, subscriptions, the API reference and tests read it from here. */
export type EventFacts = {
  /** When it occurs, as `GET /v1/event-types` and the API reference say it. */
  description: string;
  /** What it is about. Its cause is unique for this subject. */
  subject: string;
  /** `data` of its envelope: never a code, a cost or a supplier. Each description completes "With `type`: …". */
  data: TObject;
  /** Name of the receiver's operation in the API reference. */
  operationId: `on${string}`;
  example: Readonly<Record<string, unknown>>;
  /** Whether an endpoint can name it in `events`. */
  isSubscribable: boolean;
  /** Whether an endpoint that was registered without `events` gets it. True for all but noisy types (CONTRACT 6). */
  isSentByDefault: boolean;
  /** Who gets it: the endpoints that are subscribed, or only the endpoint that is its subject. */
  recipients: "subscribers" | "subject";
};

const OrderData = Type.Object({
  order_id: Type.String({ description: "the order." }),
  status: Type.String({ description: "`fulfilled`, `refunded` or `partially_refunded`." }),
  reference: Type.Optional(Type.String({ description: "your reference of the order, if it has one." })),
  environment: Type.Optional(
    Type.String({ description: "`live` or `test`. Absent in an event of an earlier release." }),
  ),
});

const webhookId = Type.String({ description: "the endpoint." });
const TestData = Type.Object({ webhook_id: webhookId });

const DisabledData = Type.Object({
  webhook_id: webhookId,
  failing_since: Type.String({ format: "date-time", description: "since when every delivery has failed." }),
});

const money = (description: string) =>
  Type.Object({ amount: Type.Integer(), currency: Type.String() }, { description });

const DepositData = Type.Object({
  deposit_id: Type.String({ description: "the deposit." }),
  amount: money("what was credited."),
});

const WalletData = Type.Object({
  balance: money("the balance after the entry that fell below the threshold."),
  threshold: money("the threshold."),
});

const keyId = Type.String({ description: "the key." });
const keyHint = Type.String({ description: "prefix and last four characters of the key." });
const KeyData = Type.Object({ key_id: keyId, key_hint: keyHint });
const NewKeyData = Type.Object({
  key_id: keyId,
  key_hint: keyHint,
  replaces_key_id: Type.Optional(Type.String({ description: "the key that it replaces, if it was rolled." })),
});

const CatalogData = Type.Object({
  noticed_at: Type.String({ format: "date-time", description: "when the change was noticed." }),
});

/** A row that every subscriber gets, as all but noisy types are. */
const toSubscribers = { isSubscribable: true, isSentByDefault: true, recipients: "subscribers" } as const;

/** SPEC.md, Events, and the type that a test delivery sends. Types can be added, and are never renamed or removed. */
export const EVENT_TABLE = {
  "order.fulfilled": {
    description: "An order was fulfilled and its codes are ready to fetch.",
    subject: "order",
    data: OrderData,
    operationId: "onOrderFulfilled",
    example: {
      order_id: "ord_01m7ef4g9je00974k1yf0xf7j3",
      status: "fulfilled",
      reference: "invoice-1001",
      environment: "live",
    },
    isSubscribable: true,
    isSentByDefault: true,
    recipients: "subscribers",
  },
  "order.refunded": {
    description: "An order was refunded in full or in part; `status` says which.",
    subject: "order",
    data: OrderData,
    operationId: "onOrderRefunded",
    example: {
      order_id: "ord_01m7ef4g9je00974k1yf0xf7j3",
      status: "refunded",
      reference: "invoice-1001",
      environment: "live",
    },
    isSubscribable: true,
    isSentByDefault: true,
    recipients: "subscribers",
  },
  "deposit.credited": {
    description: "A deposit arrived and was credited to the wallet.",
    subject: "deposit",
    data: DepositData,
    operationId: "onDepositCredited",
    example: { deposit_id: "dep_01m7ef4g9je00974k1yf0xf7j3", amount: { amount: 500_000, currency: "USD" } },
    isSubscribable: true,
    isSentByDefault: true,
    recipients: "subscribers",
  },
  "webhook.test": {
    description: "You asked for a test delivery. It goes to the endpoint that was tested, subscribed or not.",
    subject: "webhook",
    data: TestData,
    operationId: "onWebhookTest",
    example: { webhook_id: "whk_01m7ef4g9je00974k1yf0xf7j3" },
    isSubscribable: true,
    isSentByDefault: true,
    recipients: "subject",
  },
  "wallet.low": {
    description:
      "The balance fell below the threshold that you set. Once, until the balance has been at or above it again.",
    subject: "wallet",
    data: WalletData,
    operationId: "onWalletLow",
    example: {
      balance: { amount: 9_925, currency: "USD" },
      threshold: { amount: 10_000, currency: "USD" },
    },
    ...toSubscribers,
  },
  "endpoint.disabled": {
    description:
      "An endpoint was disabled after five days in which every delivery failed. Your other endpoints get this event.",
    subject: "webhook",
    data: DisabledData,
    operationId: "onEndpointDisabled",
    example: { webhook_id: "whk_01m7ef4g9je00974k1yf0xf7j3", failing_since: "2030-01-26T12:00:00.000Z" },
    ...toSubscribers,
  },
  "key.created": {
    description: "A further API key was created, or a key was rolled into a new one.",
    subject: "key",
    data: NewKeyData,
    operationId: "onKeyCreated",
    example: { key_id: "key_01m7ef4g9je00974k1yf0xf7j3", key_hint: "sc_live_…a1b2" },
    ...toSubscribers,
  },
  "key.revoked": {
    description: "An API key was revoked. Nothing is accepted with it any more.",
    subject: "key",
    data: KeyData,
    operationId: "onKeyRevoked",
    example: { key_id: "key_01m7ef4g9je00974k1yf0xf7j3", key_hint: "sc_live_…a1b2" },
    ...toSubscribers,
  },
  "catalog.changed": {
    description:
      "Your catalog has changed. Ask `GET /v1/catalog/changes` for what. At most once a minute, and only to endpoints that name it in `events`.",
    subject: "catalog",
    data: CatalogData,
    operationId: "onCatalogChanged",
    example: { noticed_at: "2030-01-31T12:00:00.000Z" },
    ...toSubscribers,
    isSentByDefault: false,
  },
} as const satisfies Readonly<Record<string, EventFacts>>;

export type EventType = keyof typeof EVENT_TABLE;
export type EventDataOf<T extends EventType> = Static<(typeof EVENT_TABLE)[T]["data"]>;

export const EVENT_TYPES = Object.keys(EVENT_TABLE) as EventType[];

const typesThat = (isMeant: (facts: EventFacts) => boolean): EventType[] =>
  EVENT_TYPES.filter((type) => isMeant(EVENT_TABLE[type]));

export const SUBSCRIBABLE_TYPES = typesThat((facts) => facts.isSubscribable);
/** What an endpoint that was registered without `events` gets. */
export const DEFAULT_TYPES = typesThat((facts) => facts.isSentByDefault);
/** What goes to every endpoint that is subscribed, and can be recovered by it later. */
export const BROADCAST_TYPES = typesThat((facts) => facts.recipients === "subscribers");

export const isEventType = (text: string): text is EventType => Object.hasOwn(EVENT_TABLE, text);
