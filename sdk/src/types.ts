import type { Open } from "./shapes.ts";
import type {
  DELIVERY_STATUSES,
  EVENT_STATUSES,
  INPUT_FIELD_TYPES,
  ORDER_STATUSES,
  WALLET_ENTRY_TYPES,
} from "./words.ts";

/** Whole minor units of the currency. */
export type Money = { amount: number; currency: string };

/** `minorUnitExponent` is how many decimals the currency has: 250 with 2 of them is 2.50. */
export type ScaledMoney = Money & { minorUnitExponent: number };

/** What you may ask a list for. */
export type PageFilters = {
  /** How many on a page: 1 to 100, and 50 when you do not say. */
  limit?: number;
  /** `nextCursor` of the page before, to go on from there. */
  cursor?: string;
};

type CreatedFilters = {
  /** Inclusive, RFC 3339. */
  createdFrom?: string;
  /** Exclusive, RFC 3339. */
  createdTo?: string;
};

/** `nextCursor` is empty on the last page. */
export type Page<T> = { data: T[]; hasMore: boolean; nextCursor: string };

export type CallOptions = {
  /** Ends the call, its retries and the pauses between them, at once. */
  signal?: AbortSignal;
  /** The longest that one try of this call may take. */
  timeoutMs?: number;
  /** How often this call is tried again. */
  retries?: number;
  /** In the sandbox: plays through a case that is rare in life, such as "insufficient_funds". */
  testScenario?: string;
};

// Catalog

export type InputFieldOption = { value: string; label: string; parentValue: string };

/** What an order line for the product must carry. */
export type InputField = {
  /** Its name in the `inputFields` of an order line. */
  key: string;
  type: Open<(typeof INPUT_FIELD_TYPES)[number]>;
  required: boolean;
  /** RE2; empty when there is none. */
  regex: string;
  /** Of a select field, in the order of display. */
  options: InputFieldOption[];
};

type ProductOf<FaceValue> = {
  id: string;
  name: string;
  faceValue: FaceValue;
  /** Absent when it has no price for you; then it cannot be ordered. */
  price?: ScaledMoney;
  strikePrice?: ScaledMoney;
  /** Empty when there is none. */
  bonus: string;
  minQuantity: number;
  maxQuantity: number;
  purchasable: boolean;
  inputFields?: InputField[];
};

export type Product = ProductOf<{ amount: string; currency: string }>;

/** With `isMoney` the amount is money, otherwise it counts in-game units that `unit` names. */
export type CatalogProduct = ProductOf<{ amount: string; currency: string; unit: string; isMoney: boolean }>;

// Orders

export type KnownOrderStatus = (typeof ORDER_STATUSES)[number];
/** A later version of the API may know more of them. */
export type OrderStatus = Open<KnownOrderStatus>;

export type PlaceOrderInput = {
  lines: readonly {
    productId: string;
    quantity: number;
    /** Values by the `key` of each of the product's input fields. */
    inputFields?: Readonly<Record<string, string | number>>;
  }[];
  /** Your own identifier, to find the order by later. */
  reference?: string;
  /** Minor units; when the order costs something else now, nothing is placed. */
  expectedTotal?: number;
};

/** One key for each order you mean to place: sent again with the same key it is the same order. */
export type PlaceOrderOptions = CallOptions & { idempotencyKey: string };

export type PlacedOrder = { id: string; status: OrderStatus; total: Money };

export type Order = PlacedOrder & {
  createdAt: string;
  updatedAt: string;
  reference?: string;
  refundedTotal: Money;
  lines: OrderLine[];
};

export type OrderLine = {
  productId: string;
  name: string;
  unitPrice: Money;
  quantity: number;
  lineTotal: Money;
  inputFields?: Record<string, string>;
  fulfilledQuantity: number;
  refundedQuantity: number;
  /** Why units of this line could not be delivered. */
  failureCode?: string;
};

export type OrderFilters = PageFilters &
  CreatedFilters & {
    status?: KnownOrderStatus;
    /** Exactly this one. */
    reference?: string;
    /** "Did the request that timed out charge me?" */
    idempotencyKey?: string;
    productId?: string;
  };

export type OrderPage = Page<Order>;

export type OrderCodes = { orderId: string; status: OrderStatus; data: DeliveredCode[] };

/** What one unit turned into; `type` is `code`, `url` or `topup`, and says which of the others is there. */
export type DeliveredCode = {
  id: string;
  lineIndex: number;
  productId: string;
  type: string;
  code?: string;
  pin?: string;
  serial?: string;
  url?: string;
  receipt?: string;
  expiresAt?: string;
  deliveredAt: string;
};

// Wallet

/** `balance` is what can be spent now. */
export type Balance = { balance: ScaledMoney; asOf: string };

export type KnownWalletEntryType = (typeof WALLET_ENTRY_TYPES)[number];

export type WalletEntry = {
  id: string;
  type: Open<KnownWalletEntryType>;
  /** What the wallet gained, negative when it paid; minor units. */
  amount: number;
  balanceAfter: number;
  currency: string;
  orderId?: string;
  note?: string;
  createdAt: string;
};

export type WalletEntryFilters = PageFilters &
  CreatedFilters & { type?: KnownWalletEntryType; orderId?: string };

// Events and webhooks

/** An event, exactly as it is delivered. It never holds a code: fetch those with your key. */
export type ScripEvent = { id: string; type: string; created_at: string; data: ScripEventData };

/** Which of them are there, and what else, depends on the event's type. */
export type ScripEventData = {
  order_id?: string;
  status?: Open<(typeof EVENT_STATUSES)[number]>;
  webhook_id?: string;
};

export type EventFilters = PageFilters & CreatedFilters & { type?: string; orderId?: string };

export type EventType = { type: string; description: string };

export type Webhook = {
  id: string;
  url: string;
  events: string[];
  active: boolean;
  createdAt: string;
  updatedAt: string;
  /** When it began to do nothing but fail. */
  failingSince?: string;
};

/** Without `events` it gets all of them, future ones too. */
export type RegisterWebhookInput = { url: string; events?: readonly string[] };

/** The secret is shown this once. */
export type RegisteredWebhook = { webhook: Webhook; secret: string };

export type UpdateWebhookInput = { url?: string; events?: readonly string[]; active?: boolean };

/** How long the secret before goes on signing beside the new one: at most 7 days, a day when you do not say. */
export type RotateSecretInput = { gracePeriodSeconds?: number };

export type RotatedSecret = RegisteredWebhook & { previousSecretExpiresAt: string };

/** RFC 3339; `since` is inclusive, `until` exclusive. */
export type RecoverInput = { since: string; until?: string };

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

export type DeliveryFilters = PageFilters & { status?: KnownDeliveryStatus };
