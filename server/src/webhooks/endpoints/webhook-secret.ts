import { randomBytes } from "node:crypto";
import { type Secret, secret } from "../../lib/secret.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { open, SealError, seal } from "../../vault/seal.ts";

const SECRET_BYTES = 32;
const SECRET_PREFIX = "whsec_";

/** A new signing secret. The key of the HMAC is the whole text, prefix included (CONTRACT 6). */
export const createWebhookSecret = (): Secret<string> =>
  secret(SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64"));

/** Sealed for this endpoint: moved to the row of another endpoint it does not open. */
export const sealWebhookSecret = (keyring: Keyring, endpointId: string, plain: Secret<string>): Buffer =>
  seal(keyring.masterKeys(), webhookSecretContext(endpointId), Buffer.from(plain.reveal()));

/** A signing secret as it was shown. */
export function openWebhookSecret(keyring: Keyring, endpointId: string, sealed: Uint8Array): string {
  const openNow = () => open(keyring.masterKeys(), webhookSecretContext(endpointId), sealed).toString();
  try {
    return openNow();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    // Another process may have sealed it under a key that was added a moment ago.
    keyring.reload();
    return openNow();
  }
}

export const webhookSecretContext = (endpointId: string): string => `webhook-secret:${endpointId}`;
