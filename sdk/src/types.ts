import type { Open } from "./shapes.ts";
import type {
  FULFILMENTS,
  INPUT_FIELD_TYPES,
  ORDER_STATUSES,
  TEST_SCENARIOS,
  TIMELINE_TYPES,
  WALLET_ENTRY_TYPES,
} from "./words.ts";

/** Whole minor units of the currency. */
export type Money = { amount: number; currency: string };

/** `minorUnitExponent` is how many decimals the currency has: 250 with 2 of them is 2.50. */
export type ScaledMoney = Money & { minorUnitExponent: number };

/** What you may ask a list for. */
export type PageFilters = {
  /** How many on a page: 1 to 100, and 50 when you do not say. */
  limit?: number | undefined;
  /** `nextCursor` of the page before, to go on from there. */
  cursor?: string | undefined;
};

export type CreatedFilters = {
  /** Inclusive; a text is RFC 3339. */
  createdFrom?: string | Date | undefined;
  /** Exclusive; a text is RFC 3339. */
  createdTo?: string | Date | undefined;
};

/** `nextCursor` is empty on the last page. */
export type Page<T> = { data: T[]; hasMore: boolean; nextCursor: string };

export type CallOptions = {
  /** Ends the call, its retries and the pauses between them, at once. */
  signal?: AbortSignal | undefined;
  /** The longest that one try of this call may take. */
  timeoutMs?: number | undefined;
  /** How often this call is tried again. */
  retries?: number | undefined;
  /** In the sandbox: has something happen that is rare in life. */
  testScenario?: TestScenario | undefined;
};

/** With a test key; a live key's is ignored. `rate_limited` and the like can happen to any call, the others to an order. */
export type TestScenario = Open<(typeof TEST_SCENARIOS)[number]>;

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

export type KnownOrderStatus = (typeof ORDER_STATUSES)[number];
/** A later version of the API may know more of them. */
export type OrderStatus = Open<KnownOrderStatus>;

export type PlaceOrderInput = {
  lines: readonly {
    productId: string;
    quantity: number;
    /** Values by the `key` of each of the product's input fields. */
    inputFields?: Readonly<Record<string, string | number>> | undefined;
  }[];
  /** Your own identifier, to find the order by later. */
  reference?: string | undefined;
  /** Minor units; when the order costs something else now, nothing is placed. */
  expectedTotal?: number | undefined;
  /** `partial`, the default, delivers what can be had and pays the rest back; `all_or_nothing` all of it or none. */
  fulfilment?: (typeof FULFILMENTS)[number] | undefined;
};

export type PlaceOrderOptions = CallOptions & {
  /**
   * One for each order you mean to place: sent again with the same key it is the same order. Made for you when you give
   * none; give your own, such as the number of your invoice, to stay safe when your program ends before it has the answer.
   */
  idempotencyKey?: string | undefined;
};

export type PlacedOrder = { id: string; status: OrderStatus; total: Money };

export type Placement = {
  order: PlacedOrder;
  /** Whether the key had placed this order before. */
  replayed: boolean;
  idempotencyKey: string;
};

export type WaitOptions = {
  signal?: AbortSignal | undefined;
  /** How long to wait in all; two minutes when you do not say. */
  timeoutMs?: number | undefined;
};

export type Order = PlacedOrder & {
  createdAt: string;
  updatedAt: string;
  reference?: string;
  /** Absent when it is `partial`. */
  fulfilment?: Open<(typeof FULFILMENTS)[number]>;
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
    status?: KnownOrderStatus | undefined;
    /** Exactly this one. */
    reference?: string | undefined;
    /** "Did the request that timed out charge me?" */
    idempotencyKey?: string | undefined;
    productId?: string | undefined;
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

/** One thing that happened to an order. */
export type TimelineEntry = {
  at: string;
  type: Open<(typeof TIMELINE_TYPES)[number]>;
  lineIndex?: number;
  unitIndex?: number;
  /** With `unit_refused`: why the unit could not be delivered. */
  failureCode?: string;
  /** With `refunded`: how much. */
  amount?: Money;
  eventId?: string;
  eventType?: string;
  webhookId?: string;
  codeCount?: number;
  keyId?: string;
};

/** A request to the API, as the server remembers it for 14 days. */
export type LoggedRequest = {
  id: string;
  createdAt: string;
  method: string;
  /** Without its query string. */
  path: string;
  status: number;
  errorCode?: string;
  keyId?: string;
  /** Prefix and last four characters of a key that was not accepted. */
  keyHint?: string;
  address: string;
  durationMs: number;
};

/** `error` is the body of the answer, for requests that failed. */
export type LoggedRequestDetail = LoggedRequest & { error?: LoggedProblem };

export type LoggedProblem = {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  request_id: string;
  errors?: { pointer: string; code: string; detail: string }[];
  orderStatus?: string;
  available?: number;
  currentTotal?: Money;
};

export type RequestFilters = PageFilters &
  CreatedFilters & {
    /** A status such as `404`, or a class such as `4xx`. */
    status?: string | undefined;
    errorCode?: string | undefined;
    keyId?: string | undefined;
  };

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
  CreatedFilters & { type?: KnownWalletEntryType | undefined; orderId?: string | undefined };
