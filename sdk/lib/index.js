import { signWebhook } from "./webhooks/sign-webhook.js";
import { verifyWebhook } from "./webhooks/verify-webhook.js";
export { createClient } from "./client.js";
export { ScripError } from "./errors.js";
export { addMoney, compareMoney, formatMoney, minorUnitExponent, multiplyMoney, toMinorUnits, } from "./money.js";
export { sandboxCode } from "./sandbox-code.js";
export { createEncryptionKeyPair, openCodes, SealedCodeError, } from "./sealed/open-codes.js";
export { signWebhook } from "./webhooks/sign-webhook.js";
export { verifyWebhook, WebhookVerificationError, } from "./webhooks/verify-webhook.js";
/** For a receiver, which needs no client and no API key. */
export const webhooks = { verify: verifyWebhook, sign: signWebhook };
