import { signWebhook } from "./webhooks/sign-webhook.js";
import { verifyWebhook } from "./webhooks/verify-webhook.js";
export type { CatalogMethods, ProductMethods } from "./catalog.js";
export { type Client, createClient } from "./client.js";
export type { DepositMethods } from "./deposits.js";
export type { EncryptionKeyMethods } from "./encryption-key.js";
export { type FieldError, type LocalErrorCode, ScripError } from "./errors.js";
export type { EventMethods, EventTypeMethods } from "./events.js";
export type { ClientOptions, Fetch } from "./http/connection.js";
export type { Listing } from "./http/listing.js";
export type { Timing } from "./http/timing.js";
export { addMoney, compareMoney, formatMoney, type MoneyInput, type MoneySum, minorUnitExponent, multiplyMoney, toMinorUnits, } from "./money.js";
export type { OrderMethods } from "./orders.js";
export type { BatchResult } from "./place-batch.js";
export type { RequestMethods } from "./requests.js";
export { sandboxCode } from "./sandbox-code.js";
export { createEncryptionKeyPair, type EncryptionKeyPair, openCodes, SealedCodeError, } from "./sealed/open-codes.js";
export type * from "./types.js";
export type { WalletMethods } from "./wallet.js";
export { type RawBody, type SignWebhookOptions, signWebhook } from "./webhooks/sign-webhook.js";
export { type CatalogEvent, type DepositEvent, type EndpointEvent, type KeyEvent, type OrderEvent, type TestEvent, type VerifyWebhookOptions, verifyWebhook, type WalletEvent, type WebhookEvent, type WebhookHeaders, WebhookVerificationError, type WebhookVerificationReason, } from "./webhooks/verify-webhook.js";
export type * from "./webhooks/webhook-types.js";
export type { DeliveryMethods, WebhookMethods } from "./webhooks/webhooks.js";
/** For a receiver, which needs no client and no API key. */
export declare const webhooks: {
    verify: typeof verifyWebhook;
    sign: typeof signWebhook;
};
