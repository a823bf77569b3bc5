import { type CatalogMethods, type ProductMethods } from "./catalog.js";
import { type ClientOptions } from "./connection.js";
import { type EventMethods, type EventTypeMethods } from "./events.js";
import { type OrderMethods } from "./orders.js";
import { type RequestMethods } from "./requests.js";
import { type WalletMethods } from "./wallet.js";
import { type DeliveryMethods, type WebhookMethods } from "./webhooks.js";
export type Client = {
    catalog: CatalogMethods;
    products: ProductMethods;
    orders: OrderMethods;
    wallet: WalletMethods;
    webhooks: WebhookMethods;
    deliveries: DeliveryMethods;
    events: EventMethods;
    eventTypes: EventTypeMethods;
    requests: RequestMethods;
};
/** Calls fail with a `ScripError` alone; an argument that no call could be made of is a `RangeError`. */
export declare function createClient(options: ClientOptions): Client;
