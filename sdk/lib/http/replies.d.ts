import type { AccountCheck, Balance, CatalogChange, CatalogProduct, Deposit, EncryptionKey, LoggedProblem, LoggedRequest, LoggedRequestDetail, Order, OrderCodesReply, Page, PlacedOrder, Product, TimelineEntry, WalletAlert, WalletEntry } from "../types.js";
import type { Delivery, EventType, Recovery, RegisteredWebhook, RotatedSecret, ScripEvent, Webhook } from "../webhooks/webhook-types.js";
import { type Shape } from "./shapes.js";
type BatchReply = {
    idempotencyKey?: string;
    order?: PlacedOrder;
    error?: LoggedProblem;
};
export declare const REPLIES: {
    getBalance: Shape<Balance>;
    getWalletAlert: Shape<{
        alert: WalletAlert;
    }>;
    setWalletAlert: Shape<{
        alert: WalletAlert;
    }>;
    listCatalog: Shape<Page<CatalogProduct>>;
    listCatalogChanges: Shape<Page<CatalogChange>>;
    getProduct: Shape<{
        product: Product;
    }>;
    checkProductAccount: Shape<AccountCheck>;
    placeOrder: Shape<{
        order: PlacedOrder;
    }>;
    placeOrders: Shape<{
        results: BatchReply[];
    }>;
    listOrders: Shape<Page<Order>>;
    getOrder: Shape<{
        order: Order;
    }>;
    getOrderCodes: Shape<OrderCodesReply>;
    registerEncryptionKey: Shape<{
        encryptionKey: EncryptionKey;
    }>;
    getEncryptionKey: Shape<{
        encryptionKey?: EncryptionKey;
    }>;
    removeEncryptionKey: Shape<Record<never, never>>;
    getOrderTimeline: Shape<{
        data: TimelineEntry[];
    }>;
    listRequests: Shape<Page<LoggedRequest>>;
    getRequest: Shape<{
        request: LoggedRequestDetail;
    }>;
    listWalletEntries: Shape<Page<WalletEntry>>;
    requestDeposit: Shape<{
        deposit: Deposit;
    }>;
    getDeposit: Shape<{
        deposit: Deposit;
    }>;
    listDeposits: Shape<Page<Deposit>>;
    listEvents: Shape<Page<ScripEvent>>;
    getEvent: Shape<{
        event: ScripEvent;
    }>;
    listEventTypes: Shape<{
        data: EventType[];
    }>;
    registerWebhook: Shape<RegisteredWebhook>;
    listWebhooks: Shape<Page<Webhook>>;
    getWebhook: Shape<{
        webhook: Webhook;
    }>;
    changeWebhook: Shape<{
        webhook: Webhook;
    }>;
    removeWebhook: Shape<Record<never, never>>;
    rotateWebhookSecret: Shape<RotatedSecret>;
    testWebhook: Shape<{
        delivery: Delivery;
    }>;
    redeliver: Shape<{
        delivery: Delivery;
    }>;
    listWebhookDeliveries: Shape<Page<Delivery>>;
    recoverWebhook: Shape<Recovery>;
    listWebhookEgressIps: Shape<{
        data: string[];
    }>;
};
export {};
