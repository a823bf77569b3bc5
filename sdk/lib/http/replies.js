import { ACCOUNT_CHECK_RESULTS } from "../words.js";
import { catalogChange, catalogProduct, product } from "./objects/catalog.js";
import { deliveredCode, encryptionKey } from "./objects/codes.js";
import { pageOf, scaledMoney } from "./objects/common.js";
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
/** The response of each operation of the API, by its operationId. */
export const REPLIES = {
    getBalance: object({ balance: scaledMoney, asOf: text }),
    getWalletAlert: walletAlertReply,
    setWalletAlert: walletAlertReply,
    listCatalog: pageOf(catalogProduct),
    listCatalogChanges: pageOf(catalogChange),
    getProduct: object({ product }),
    checkProductAccount: object({
        result: wordOf(ACCOUNT_CHECK_RESULTS),
        displayName: optional(text),
    }),
    placeOrder: object({ order: placedOrder }),
    placeOrders: object({
        results: list(object({
            idempotencyKey: optional(text),
            order: optional(placedOrder),
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
