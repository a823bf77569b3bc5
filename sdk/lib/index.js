import { signWebhook } from "./sign-webhook.js";
import { verifyWebhook } from "./verify-webhook.js";
export { createClient } from "./client.js";
export { ScripError } from "./errors.js";
export { addMoney, compareMoney, formatMoney, minorUnitExponent, multiplyMoney, toMinorUnits, } from "./money.js";
export { sandboxCode } from "./sandbox-code.js";
export { signWebhook } from "./sign-webhook.js";
export { verifyWebhook, WebhookVerificationError, } from "./verify-webhook.js";
/** For a receiver, which needs no client and no API key. */
export const webhooks = { verify: verifyWebhook, sign: signWebhook };
