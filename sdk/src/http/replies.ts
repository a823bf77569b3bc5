import type { AccountCheck, Product } from "../types/catalog.ts";
import type { EncryptionKey, OrderCodesReply } from "../types/codes.ts";
import type { Me, Rate } from "../types/me.ts";
import type { Order, PlacedOrder, TimelineEntry } from "../types/orders.ts";
import type { LoggedProblem, LoggedRequest, LoggedRequestDetail } from "../types/requests.ts";
import type { Balance, Deposit, WalletAlert } from "../types/wallet.ts";
import type {
  Delivery,
  EventType,
  Recovery,
  RegisteredWebhook,
  RotatedSecret,
  ScripEvent,
  Webhook,
} from "../webhooks/webhook-types.ts";
import { ACCOUNT_CHECK_RESULTS, ENVIRONMENTS } from "../words.ts";
import { catalogChange, product } from "./objects/catalog.ts";
import { deliveredCode, encryptionKey } from "./objects/codes.ts";
import { money, pageOf, scaledMoney } from "./objects/common.ts";
import { order, orderStatus, placedOrder, timelineEntry } from "./objects/orders.ts";
import { loggedProblem, requestMembers } from "./objects/requests.ts";
import { deposit, walletEntry } from "./objects/wallet.ts";
import { delivery, event, webhook } from "./objects/webhooks.ts";
import { count, flag, list, object, optional, text, wordOf } from "./shapes.ts";

const deliveryReply = object<{ delivery: Delivery }>({ delivery });

const webhookReply = object<{ webhook: Webhook }>({ webhook });

type BatchReply = { idempotencyKey?: string; order?: PlacedOrder; replayed?: boolean; error?: LoggedProblem };

const walletAlertReply = object<{ alert: WalletAlert }>({
  alert: object<WalletAlert>({ threshold: optional(scaledMoney) }),
});

const rate = object<Rate>({ perSecond: count, burst: count });

/** The response of each operation of the API, by its operationId. */
export const REPLIES = {
  getMe: object<Me>({
    key: object<Me["key"]>({
      id: text,
      name: text,
      environment: wordOf(ENVIRONMENTS),
      prefix: text,
      last4: text,
      scopes: list(text),
      allowedIps: list(text),
      createdAt: text,
      expiresAt: optional(text),
      maxOrder: optional(money),
      maxDay: optional(money),
      spentToday: optional(money),
      velocityTimes: optional(count),
    }),
    reseller: object<Me["reseller"]>({ id: text, name: text, currency: text }),
    limits: object<Me["limits"]>({ orders: rate, reads: rate }),
    time: text,
  }),
  getBalance: object<Balance>({ balance: scaledMoney, asOf: text }),
  getWalletAlert: walletAlertReply,
  setWalletAlert: walletAlertReply,
  listCatalog: pageOf(product),
  listCatalogChanges: pageOf(catalogChange),
  getProduct: object<{ product: Product }>({ product }),
  checkProductAccount: object<AccountCheck>({
    result: wordOf(ACCOUNT_CHECK_RESULTS),
    displayName: optional(text),
  }),
  placeOrder: object<{ order: PlacedOrder; replayed?: boolean }>({
    order: placedOrder,
    replayed: optional(flag),
  }),
  placeOrders: object<{ results: BatchReply[] }>({
    results: list(
      object<BatchReply>({
        idempotencyKey: optional(text),
        order: optional(placedOrder),
        replayed: optional(flag),
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
