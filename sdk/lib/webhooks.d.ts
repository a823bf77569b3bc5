import type { Connection } from "./connection.js";
import type { Listing } from "./listing.js";
import type { CallOptions, PageFilters } from "./types.js";
import { verifyWebhook } from "./verify-webhook.js";
import type { Delivery, DeliveryFilters, RecoverInput, Recovery, RegisteredWebhook, RegisterWebhookInput, RotatedSecret, RotateSecretInput, UpdateWebhookInput, Webhook } from "./webhook-types.js";
/**
 * `register`, `rotate`, `test`, `recover` and `redeliver` do their work once more when they are sent once more. So they are
 * tried again only when the API said that it had not begun, and not when an answer was lost.
 */
export type WebhookMethods = {
    register(input: RegisterWebhookInput, options?: CallOptions): Promise<RegisteredWebhook>;
    list(filters?: PageFilters, options?: CallOptions): Listing<Webhook>;
    get(id: string, options?: CallOptions): Promise<Webhook>;
    update(id: string, changes: UpdateWebhookInput, options?: CallOptions): Promise<Webhook>;
    remove(id: string, options?: CallOptions): Promise<void>;
    rotate(id: string, input?: RotateSecretInput, options?: CallOptions): Promise<RotatedSecret>;
    /** Sends a `webhook.test` as every event is sent; what becomes of it shows in `deliveries`. */
    test(id: string, options?: CallOptions): Promise<Delivery>;
    deliveries(id: string, filters?: DeliveryFilters, options?: CallOptions): Listing<Delivery>;
    /** Delivers what the endpoint was not sent, or what failed. */
    recover(id: string, input: RecoverInput, options?: CallOptions): Promise<Recovery>;
    /** The addresses that deliveries come from. */
    egressIps(options?: CallOptions): Promise<string[]>;
    /** The event of a delivery that you received, once its signature is proven. Asks nobody. */
    verify: typeof verifyWebhook;
};
export type DeliveryMethods = {
    /** Begins the delivery anew, whatever became of it. */
    redeliver(id: string, options?: CallOptions): Promise<Delivery>;
};
export declare function webhookMethods(connection: Connection): WebhookMethods;
export declare const deliveryMethods: (connection: Connection) => DeliveryMethods;
