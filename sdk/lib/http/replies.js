import { ACCOUNT_CHECK_RESULTS, ENVIRONMENTS } from "../words.js";
import { catalogChange, product } from "./objects/catalog.js";
import { deliveredCode, encryptionKey } from "./objects/codes.js";
import { money, pageOf, scaledMoney } from "./objects/common.js";
import { order, orderStatus, placedOrder, timelineEntry } from "./objects/orders.js";
import { loggedProblem, requestMembers } from "./objects/requests.js";
import { deposit, walletEntry } from "./objects/wallet.js";
import { delivery, event, webhook } from "./objects/webhooks.js";
import { count, flag, list, object, optional, text, wordOf } from "./shapes.js";
const deliveryReply = object({ delivery });
const webhookReply = object({ webhook });
const walletAlertReply = object({
    alert: object({ threshold: optional(scaledMoney) }),
});
const rate = object({ perSecond: count, burst: count });
/** The response of each operation of the API, by its operationId. */
export const REPLIES = {
    getMe: object({
        key: object({
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
        reseller: object({ id: text, name: text, currency: text }),
        limits: object({ orders: rate, reads: rate }),
        time: text,
    }),
    getBalance: object({ balance: scaledMoney, asOf: text }),
    getWalletAlert: walletAlertReply,
    setWalletAlert: walletAlertReply,
    listCatalog: pageOf(product),
    listCatalogChanges: pageOf(catalogChange),
    getProduct: object({ product }),
    checkProductAccount: object({
        result: wordOf(ACCOUNT_CHECK_RESULTS),
        displayName: optional(text),
    }),
    placeOrder: object({
        order: placedOrder,
        replayed: optional(flag),
    }),
    placeOrders: object({
        results: list(object({
            idempotencyKey: optional(text),
            order: optional(placedOrder),
            replayed: optional(flag),
            error: optional(loggedProblem),
        })),
    }),
    listOrders: pageOf(order),
    getOrder: object({ order }),
    getOrderCodes: object({ orderId: text, status: orderStatus, data: list(deliveredCode) }),
    registerEncryptionKey: object({ encryptionKey }),
    getEncryptionKey: object({ encryptionKey: optional(encryptionKey) }),
    removeEncryptionKey: object({}),
    getOrderTimeline: object({ data: list(timelineEntry) }),
    listRequests: pageOf(object(requestMembers)),
    getRequest: object({
        request: object({ ...requestMembers, error: optional(loggedProblem) }),
    }),
    listWalletEntries: pageOf(walletEntry),
    requestDeposit: object({ deposit }),
    getDeposit: object({ deposit }),
    listDeposits: pageOf(deposit),
    listEvents: pageOf(event),
    getEvent: object({ event }),
    listEventTypes: object({
        data: list(object({ type: text, description: text })),
    }),
    registerWebhook: object({ webhook, secret: text }),
    listWebhooks: pageOf(webhook),
    getWebhook: webhookReply,
    changeWebhook: webhookReply,
    removeWebhook: object({}),
    rotateWebhookSecret: object({ webhook, secret: text, previousSecretExpiresAt: text }),
    testWebhook: deliveryReply,
    redeliver: deliveryReply,
    listWebhookDeliveries: pageOf(delivery),
    recoverWebhook: object({ recovered: count, hasMore: flag }),
    listWebhookEgressIps: object({ data: list(text) }),
};
