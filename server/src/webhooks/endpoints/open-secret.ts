import type { Keyring } from "../../vault/keyring.ts";
import { open, SealError } from "../../vault/seal.ts";

export const webhookSecretContext = (endpointId: string): string => `webhook-secret:${endpointId}`;

/** A signing secret as it was shown. Sealed for its endpoint alone: in another's row it does not open. */
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
