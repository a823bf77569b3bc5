import { signWebhook } from "./sign-webhook.js";
import { verifyWebhook } from "./verify-webhook.js";
export type { CatalogMethods, ProductMethods } from "./catalog.js";
export { type Client, createClient } from "./client.js";
export type { ClientOptions, Fetch } from "./connection.js";
export { type FieldError, type LocalErrorCode, ScripError } from "./errors.js";
export type { EventMethods, EventTypeMethods } from "./events.js";
export type { Listing } from "./listing.js";
export { addMoney, compareMoney, formatMoney, type MoneyInput, type MoneySum, minorUnitExponent, multiplyMoney, toMinorUnits, } from "./money.js";
export type { OrderMethods } from "./orders.js";
export type { RequestMethods } from "./requests.js";
export { sandboxCode } from "./sandbox-code.js";
export { type RawBody, type SignWebhookOptions, signWebhook } from "./sign-webhook.js";
export type { Timing } from "./timing.js";
export type * from "./types.js";
export { type OrderEvent, type TestEvent, type VerifyWebhookOptions, verifyWebhook, type WebhookEvent, type WebhookHeaders, WebhookVerificationError, type WebhookVerificationReason, } from "./verify-webhook.js";
export type { WalletMethods } from "./wallet.js";
export type * from "./webhook-types.js";
export type { DeliveryMethods, WebhookMethods } from "./webhooks.js";
/** For a receiver, which needs no client and no API key. */
export declare const webhooks: {
    verify: typeof verifyWebhook;
    sign: typeof signWebhook;
};
