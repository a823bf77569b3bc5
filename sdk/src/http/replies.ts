import type {
  AccountCheck,
  Balance,
  CatalogChange,
  CatalogProduct,
  DeliveredCode,
  Deposit,
  EncryptionKey,
  InputField,
  InputFieldOption,
  LoggedProblem,
  LoggedRequest,
  LoggedRequestDetail,
  Money,
  Order,
  OrderCodesReply,
  OrderLine,
  Page,
  PlacedOrder,
  Product,
  ScaledMoney,
  SealedParts,
  TimelineEntry,
  WalletAlert,
  WalletEntry,
} from "../types.ts";
import type {
  Delivery,
  DeliveryAttempt,
  EventType,
  Recovery,
  RegisteredWebhook,
  RotatedSecret,
  ScripEvent,
  ScripEventData,
  Webhook,
} from "../webhooks/webhook-types.ts";
import {
  ACCOUNT_CHECK_RESULTS,
  CATALOG_CHANGES,
  DELIVERY_STATUSES,
  DEPOSIT_STATUSES,
  EVENT_STATUSES,
  FULFILMENTS,
  GOODS_TYPES,
  INPUT_FIELD_TYPES,
  ORDER_STATUSES,
  TIMELINE_TYPES,
  WALLET_ENTRY_TYPES,
} from "../words.ts";
import { count, flag, integer, list, object, optional, type Shape, text, texts, wordOf } from "./shapes.ts";

const pageOf = <T>(item: Shape<T>): Shape<Page<T>> =>
  object<Page<T>>({ data: list(item), hasMore: flag, nextCursor: text });

const money = object<Money>({ amount: count, currency: text });
const scaledMoney = object<ScaledMoney>({ amount: count, currency: text, minorUnitExponent: count });

const inputField = object<InputField>({
  key: text,
  type: wordOf(INPUT_FIELD_TYPES),
  required: flag,
  regex: text,
  options: list(object<InputFieldOption>({ value: text, label: text, parentValue: text })),
});

const productMembers = {
  id: text,
  name: text,
  price: optional(scaledMoney),
  strikePrice: optional(scaledMoney),
  bonus: text,
  minQuantity: count,
  maxQuantity: count,
  purchasable: flag,
  inputFields: optional(list(inputField)),
  brand: optional(text),
  category: optional(text),
  country: optional(text),
  description: optional(text),
  redeemInstructions: optional(text),
  terms: optional(text),
  imageUrl: optional(text),
  estimatedDeliverySeconds: optional(count),
  updatedAt: optional(text),
};

const product = object<Product>({
  ...productMembers,
  faceValue: object<Product["faceValue"]>({ amount: text, currency: text }),
});

const catalogProduct = object<CatalogProduct>({
  ...productMembers,
  faceValue: object<CatalogProduct["faceValue"]>({ amount: text, currency: text, unit: text, isMoney: flag }),
});

const catalogChange = object<CatalogChange>({
  productId: text,
  change: wordOf(CATALOG_CHANGES),
  product: optional(catalogProduct),
});

const orderStatus = wordOf(ORDER_STATUSES);

const placedOrder = object<PlacedOrder>({ id: text, status: orderStatus, total: money });

const orderLine = object<OrderLine>({
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

const order = object<Order>({
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

const deliveredCode = object<DeliveredCode>({
  id: text,
  lineIndex: count,
  unitIndex: optional(count),
  productId: text,
  type: wordOf(GOODS_TYPES),
  code: optional(text),
  pin: optional(text),
  serial: optional(text),
  url: optional(text),
  receipt: optional(text),
  sealed: optional(object<SealedParts>({ kid: text, enc: text, ciphertext: text })),
  expiresAt: optional(text),
  deliveredAt: text,
});

const timelineEntry = object<TimelineEntry>({
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

const requestMembers = {
  id: text,
  createdAt: text,
  method: text,
  path: text,
  status: count,
  errorCode: optional(text),
  keyId: optional(text),
  keyHint: optional(text),
  address: text,
  durationMs: count,
};

const loggedProblem = object<LoggedProblem>({
  type: text,
  title: text,
  status: count,
  code: text,
  detail: text,
  request_id: text,
  errors: optional(
    list(object<NonNullable<LoggedProblem["errors"]>[number]>({ pointer: text, code: text, detail: text })),
  ),
  orderStatus: optional(text),
  available: optional(count),
  currentTotal: optional(money),
});

const walletEntry = object<WalletEntry>({
  id: text,
  type: wordOf(WALLET_ENTRY_TYPES),
  amount: integer,
  balanceAfter: integer,
  currency: text,
  orderId: optional(text),
  note: optional(text),
  createdAt: text,
});

const deposit = object<Deposit>({
  id: text,
  status: wordOf(DEPOSIT_STATUSES),
  amount: count,
  currency: text,
  minorUnitExponent: count,
  reference: text,
  instructions: text,
  note: optional(text),
  receivedAmount: optional(count),
  entryId: optional(text),
  reason: optional(text),
  createdAt: text,
  receivedAt: optional(text),
  creditedAt: optional(text),
  rejectedAt: optional(text),
});

const event = object<ScripEvent>({
  id: text,
  type: text,
  created_at: text,
  data: object<ScripEventData>({
    order_id: optional(text),
    status: optional(wordOf(EVENT_STATUSES)),
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

const webhook = object<Webhook>({
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

const delivery = object<Delivery>({
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

const deliveryReply = object<{ delivery: Delivery }>({ delivery });
const webhookReply = object<{ webhook: Webhook }>({ webhook });

const encryptionKey = object<EncryptionKey>({ kid: text, publicKey: text, registeredAt: text });

type BatchReply = { idempotencyKey?: string; order?: PlacedOrder; error?: LoggedProblem };

/** The response of each operation of the API, by its operationId. */
const walletAlertReply = object<{ alert: WalletAlert }>({
  alert: object<WalletAlert>({ threshold: optional(scaledMoney) }),
});

export const REPLIES = {
  getBalance: object<Balance>({ balance: scaledMoney, asOf: text }),
  getWalletAlert: walletAlertReply,
  setWalletAlert: walletAlertReply,
  listCatalog: pageOf(catalogProduct),
  listCatalogChanges: pageOf(catalogChange),
  getProduct: object<{ product: Product }>({ product }),
  checkProductAccount: object<AccountCheck>({
    result: wordOf(ACCOUNT_CHECK_RESULTS),
    displayName: optional(text),
  }),
  placeOrder: object<{ order: PlacedOrder }>({ order: placedOrder }),
  placeOrders: object<{ results: BatchReply[] }>({
    results: list(
      object<BatchReply>({
        idempotencyKey: optional(text),
        order: optional(placedOrder),
        error: optional(loggedProblem),
      }),
    ),
  }),
  listOrders: pageOf(order),
  getOrder: object<{ order: Order }>({ order }),
  getOrderCodes: object<OrderCodesReply>({ orderId: text, status: orderStatus, data: list(deliveredCode) }),
  registerEncryptionKey: object<{ encryptionKey: EncryptionKey }>({ encryptionKey }),
  getEncryptionKey: object<{ encryptionKey?: EncryptionKey }>({ encryptionKey: optional(encryptionKey) }),
  removeEncryptionKey: object<Record<never, never>>({}),
  getOrderTimeline: object<{ data: TimelineEntry[] }>({ data: list(timelineEntry) }),
  listRequests: pageOf(object<LoggedRequest>(requestMembers)),
  getRequest: object<{ request: LoggedRequestDetail }>({
    request: object<LoggedRequestDetail>({ ...requestMembers, error: optional(loggedProblem) }),
  }),
  listWalletEntries: pageOf(walletEntry),
  requestDeposit: object<{ deposit: Deposit }>({ deposit }),
  getDeposit: object<{ deposit: Deposit }>({ deposit }),
  listDeposits: pageOf(deposit),
  listEvents: pageOf(event),
  getEvent: object<{ event: ScripEvent }>({ event }),
  listEventTypes: object<{ data: EventType[] }>({
    data: list(object<EventType>({ type: text, description: text })),
  }),
  registerWebhook: object<RegisteredWebhook>({ webhook, secret: text }),
  listWebhooks: pageOf(webhook),
  getWebhook: webhookReply,
  changeWebhook: webhookReply,
  removeWebhook: object<Record<never, never>>({}),
  rotateWebhookSecret: object<RotatedSecret>({ webhook, secret: text, previousSecretExpiresAt: text }),
  testWebhook: deliveryReply,
  redeliver: deliveryReply,
  listWebhookDeliveries: pageOf(delivery),
  recoverWebhook: object<Recovery>({ recovered: count, hasMore: flag }),
  listWebhookEgressIps: object<{ data: string[] }>({ data: list(text) }),
};
