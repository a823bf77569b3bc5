import { ACCOUNT_CHECK_RESULTS, CATALOG_CHANGES, DELIVERY_STATUSES, DEPOSIT_STATUSES, EVENT_STATUSES, FULFILMENTS, GOODS_TYPES, INPUT_FIELD_TYPES, ORDER_STATUSES, TIMELINE_TYPES, WALLET_ENTRY_TYPES, } from "../words.js";
import { count, flag, integer, list, object, optional, text, texts, wordOf } from "./shapes.js";
const pageOf = (item) => object({ data: list(item), hasMore: flag, nextCursor: text });
const money = object({ amount: count, currency: text });
const scaledMoney = object({ amount: count, currency: text, minorUnitExponent: count });
const inputField = object({
    key: text,
    type: wordOf(INPUT_FIELD_TYPES),
    required: flag,
    regex: text,
    options: list(object({ value: text, label: text, parentValue: text })),
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
const product = object({
    ...productMembers,
    faceValue: object({ amount: text, currency: text }),
});
const catalogProduct = object({
    ...productMembers,
    faceValue: object({ amount: text, currency: text, unit: text, isMoney: flag }),
});
const catalogChange = object({
    productId: text,
    change: wordOf(CATALOG_CHANGES),
    product: optional(catalogProduct),
});
const orderStatus = wordOf(ORDER_STATUSES);
const placedOrder = object({ id: text, status: orderStatus, total: money });
const orderLine = object({
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
const order = object({
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
const deliveredCode = object({
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
    sealed: optional(object({ kid: text, enc: text, ciphertext: text })),
    expiresAt: optional(text),
    deliveredAt: text,
});
const timelineEntry = object({
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
const loggedProblem = object({
    type: text,
    title: text,
    status: count,
    code: text,
    detail: text,
    request_id: text,
    errors: optional(list(object({ pointer: text, code: text, detail: text }))),
    orderStatus: optional(text),
    available: optional(count),
    currentTotal: optional(money),
});
const walletEntry = object({
    id: text,
    type: wordOf(WALLET_ENTRY_TYPES),
    amount: integer,
    balanceAfter: integer,
    currency: text,
    orderId: optional(text),
    note: optional(text),
    createdAt: text,
});
const deposit = object({
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
const event = object({
    id: text,
    type: text,
    created_at: text,
    data: object({
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
const webhook = object({
    id: text,
    url: text,
    events: list(text),
    active: flag,
    createdAt: text,
    updatedAt: text,
    failingSince: optional(text),
});
const attempt = object({
    number: count,
    at: text,
    status: optional(count),
    error: optional(text),
    latencyMs: count,
    responseBody: optional(text),
});
const delivery = object({
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
const deliveryReply = object({ delivery });
const webhookReply = object({ webhook });
const encryptionKey = object({ kid: text, publicKey: text, registeredAt: text });
/** The response of each operation of the API, by its operationId. */
const walletAlertReply = object({
    alert: object({ threshold: optional(scaledMoney) }),
});
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
