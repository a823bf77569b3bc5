import { signWebhook } from "./webhooks/sign-webhook.ts";
import { verifyWebhook } from "./webhooks/verify-webhook.ts";

export type { CatalogMethods, ProductMethods } from "./catalog.ts";
export { type Client, createClient } from "./client.ts";
export type { DepositMethods } from "./deposits.ts";
export type { EncryptionKeyMethods } from "./encryption-key.ts";
export { type FieldError, type LocalErrorCode, ScripError } from "./errors.ts";
export type { EventMethods, EventTypeMethods } from "./events.ts";
export type { ClientOptions, Fetch } from "./http/connection.ts";
export type { Listing } from "./http/listing.ts";
export type { Timing } from "./http/timing.ts";
export {
  addMoney,
  compareMoney,
  formatMoney,
  type MoneyInput,
  type MoneySum,
  minorUnitExponent,
  multiplyMoney,
  toMinorUnits,
} from "./money.ts";
export type { OrderMethods } from "./orders.ts";
export type { BatchResult } from "./place-batch.ts";
export type { RequestMethods } from "./requests.ts";
export { sandboxCode } from "./sandbox-code.ts";
export {
  createEncryptionKeyPair,
  type EncryptionKeyPair,
  openCodes,
  SealedCodeError,
} from "./sealed/open-codes.ts";
export type * from "./types/catalog.ts";
export type * from "./types/codes.ts";
export type * from "./types/common.ts";
export type * from "./types/me.ts";
export type * from "./types/orders.ts";
export type * from "./types/requests.ts";
export type * from "./types/wallet.ts";
export type { WalletMethods } from "./wallet.ts";
export { type RawBody, type SignWebhookOptions, signWebhook } from "./webhooks/sign-webhook.ts";
export {
  type CatalogEvent,
  type DepositEvent,
  type EndpointEvent,
  type KeyEvent,
  type OrderEvent,
  type TestEvent,
  type VerifyWebhookOptions,
  verifyWebhook,
  type WalletEvent,
  type WebhookEvent,
  type WebhookHeaders,
  WebhookVerificationError,
  type WebhookVerificationReason,
} from "./webhooks/verify-webhook.ts";
export type * from "./webhooks/webhook-types.ts";
export type { DeliveryMethods, WebhookMethods } from "./webhooks/webhooks.ts";

/** For a receiver, which needs no client and no API key. */
export const webhooks = { verify: verifyWebhook, sign: signWebhook };
