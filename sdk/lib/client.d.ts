import { type CatalogMethods, type ProductMethods } from "./catalog.js";
import { type DepositMethods } from "./deposits.js";
import { type EncryptionKeyMethods } from "./encryption-key.js";
import { type EventMethods, type EventTypeMethods } from "./events.js";
import { type ClientOptions } from "./http/connection.js";
import { type OrderMethods } from "./orders.js";
import { type RequestMethods } from "./requests.js";
import type { CallOptions } from "./types/common.js";
import type { Me } from "./types/me.js";
import { type WalletMethods } from "./wallet.js";
import { type DeliveryMethods, type WebhookMethods } from "./webhooks/webhooks.js";
export type Client = {
    /** The key that the client uses, its reseller and its limits. Any key can ask. */
    me(options?: CallOptions): Promise<Me>;
    catalog: CatalogMethods;
    products: ProductMethods;
    orders: OrderMethods;
    wallet: WalletMethods;
    deposits: DepositMethods;
    encryptionKey: EncryptionKeyMethods;
    webhooks: WebhookMethods;
    deliveries: DeliveryMethods;
    events: EventMethods;
    eventTypes: EventTypeMethods;
    requests: RequestMethods;
};
/** A failed call throws a `ScripError`. An invalid argument throws a `RangeError`. */
export declare function createClient(options: ClientOptions): Client;
