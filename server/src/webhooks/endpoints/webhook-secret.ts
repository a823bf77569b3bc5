import { randomBytes } from "node:crypto";
import { type Secret, secret } from "../../lib/secret.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { seal } from "../../vault/seal.ts";
import { webhookSecretContext } from "./open-secret.ts";

const SECRET_BYTES = 32;
const SECRET_PREFIX = "whsec_";

/** A new signing secret. The key of the HMAC is the whole text, prefix included (CONTRACT 6). */
export const createWebhookSecret = (): Secret<string> =>
  secret(SECRET_PREFIX + randomBytes(SECRET_BYTES).toString("base64"));

/** Sealed for this endpoint alone: moved to another's row it does not open. */
export const sealWebhookSecret = (keyring: Keyring, endpointId: string, plain: Secret<string>): Buffer =>
  seal(keyring.masterKeys(), webhookSecretContext(endpointId), Buffer.from(plain.reveal()));
