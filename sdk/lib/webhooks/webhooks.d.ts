import type { Connection } from "../http/connection.js";
import type { Listing } from "../http/listing.js";
import type { CallOptions, PageFilters } from "../types/common.js";
import { verifyWebhook } from "./verify-webhook.js";
import type { Delivery, DeliveryFilters, RecoverInput, Recovery, RegisteredWebhook, RegisterWebhookInput, RotatedSecret, RotateSecretInput, UpdateWebhookInput, Webhook } from "./webhook-types.js";
/**
 * `register`, `rotate`, `test`, `recover` and `redeliver` are not idempotent. They are retried only when the API says that it has
 * not started, and not when a response was lost.
 */
export type WebhookMethods = {
    register(input: RegisterWebhookInput, options?: CallOptions): Promise<RegisteredWebhook>;
    list(filters?: PageFilters, options?: CallOptions): Listing<Webhook>;
    get(id: string, options?: CallOptions): Promise<Webhook>;
    update(id: string, changes: UpdateWebhookInput, options?: CallOptions): Promise<Webhook>;
    remove(id: string, options?: CallOptions): Promise<void>;
    rotate(id: string, input?: RotateSecretInput, options?: CallOptions): Promise<RotatedSecret>;
    /** Sends a `webhook.test` like any other event. `deliveries` shows the result. */
    test(id: string, options?: CallOptions): Promise<Delivery>;
    deliveries(id: string, filters?: DeliveryFilters, options?: CallOptions): Listing<Delivery>;
    /** Delivers events that the endpoint has not received. */
    recover(id: string, input: RecoverInput, options?: CallOptions): Promise<Recovery>;
    /** The addresses that deliveries are sent from. */
    egressIps(options?: CallOptions): Promise<string[]>;
    /** Verifies a delivery that you received and returns its event. Sends no request. */
    verify: typeof verifyWebhook;
};
export type DeliveryMethods = {
    /** Starts the delivery again, regardless of its status. */
    redeliver(id: string, options?: CallOptions): Promise<Delivery>;
};
export declare function webhookMethods(connection: Connection): WebhookMethods;
export declare const deliveryMethods: (connection: Connection) => DeliveryMethods;
