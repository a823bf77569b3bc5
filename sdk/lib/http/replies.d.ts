import type { AccountCheck, Product } from "../types/catalog.js";
import type { EncryptionKey, OrderCodesReply } from "../types/codes.js";
import type { Me } from "../types/me.js";
import type { Order, PlacedOrder, TimelineEntry } from "../types/orders.js";
import type { LoggedProblem, LoggedRequest, LoggedRequestDetail } from "../types/requests.js";
import type { Balance, Deposit, WalletAlert } from "../types/wallet.js";
import type { Delivery, EventType, Recovery, RegisteredWebhook, RotatedSecret, ScripEvent, Webhook } from "../webhooks/webhook-types.js";
type BatchReply = {
    idempotencyKey?: string;
    order?: PlacedOrder;
    replayed?: boolean;
    error?: LoggedProblem;
};
/** The response of each operation of the API, by its operationId. */
export declare const REPLIES: {
    getMe: import("./shapes.js").Shape<Me>;
    getBalance: import("./shapes.js").Shape<Balance>;
    getWalletAlert: import("./shapes.js").Shape<{
        alert: WalletAlert;
    }>;
    setWalletAlert: import("./shapes.js").Shape<{
        alert: WalletAlert;
    }>;
    listCatalog: import("./shapes.js").Shape<import("../index.js").Page<Product>>;
    listCatalogChanges: import("./shapes.js").Shape<import("../index.js").Page<import("../types/catalog.js").CatalogChange>>;
    getProduct: import("./shapes.js").Shape<{
        product: Product;
    }>;
    checkProductAccount: import("./shapes.js").Shape<AccountCheck>;
    placeOrder: import("./shapes.js").Shape<{
        order: PlacedOrder;
        replayed?: boolean;
    }>;
    placeOrders: import("./shapes.js").Shape<{
        results: BatchReply[];
    }>;
    listOrders: import("./shapes.js").Shape<import("../index.js").Page<Order>>;
    getOrder: import("./shapes.js").Shape<{
        order: Order;
    }>;
    getOrderCodes: import("./shapes.js").Shape<OrderCodesReply>;
    registerEncryptionKey: import("./shapes.js").Shape<{
        encryptionKey: EncryptionKey;
    }>;
    getEncryptionKey: import("./shapes.js").Shape<{
        encryptionKey?: EncryptionKey;
    }>;
    removeEncryptionKey: import("./shapes.js").Shape<Record<never, never>>;
    getOrderTimeline: import("./shapes.js").Shape<{
        data: TimelineEntry[];
    }>;
    listRequests: import("./shapes.js").Shape<import("../index.js").Page<LoggedRequest>>;
    getRequest: import("./shapes.js").Shape<{
        request: LoggedRequestDetail;
    }>;
    listWalletEntries: import("./shapes.js").Shape<import("../index.js").Page<import("../types/wallet.js").WalletEntry>>;
    requestDeposit: import("./shapes.js").Shape<{
        deposit: Deposit;
    }>;
    getDeposit: import("./shapes.js").Shape<{
        deposit: Deposit;
    }>;
    listDeposits: import("./shapes.js").Shape<import("../index.js").Page<Deposit>>;
    listEvents: import("./shapes.js").Shape<import("../index.js").Page<ScripEvent>>;
    getEvent: import("./shapes.js").Shape<{
        event: ScripEvent;
    }>;
    listEventTypes: import("./shapes.js").Shape<{
        data: EventType[];
    }>;
    registerWebhook: import("./shapes.js").Shape<RegisteredWebhook>;
    listWebhooks: import("./shapes.js").Shape<import("../index.js").Page<Webhook>>;
    getWebhook: import("./shapes.js").Shape<{
        webhook: Webhook;
    }>;
    changeWebhook: import("./shapes.js").Shape<{
        webhook: Webhook;
    }>;
    removeWebhook: import("./shapes.js").Shape<Record<never, never>>;
    rotateWebhookSecret: import("./shapes.js").Shape<RotatedSecret>;
    testWebhook: import("./shapes.js").Shape<{
        delivery: Delivery;
    }>;
    redeliver: import("./shapes.js").Shape<{
        delivery: Delivery;
    }>;
    listWebhookDeliveries: import("./shapes.js").Shape<import("../index.js").Page<Delivery>>;
    recoverWebhook: import("./shapes.js").Shape<Recovery>;
    listWebhookEgressIps: import("./shapes.js").Shape<{
        data: string[];
    }>;
};
export {};
