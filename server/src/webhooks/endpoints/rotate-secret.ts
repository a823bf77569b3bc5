import type { By } from "../../activity/record-activity.ts";
import type { Tenant } from "../../http/caller.ts";
import { notFound, Problem } from "../../lib/problem.ts";
import type { Secret } from "../../lib/secret.ts";
import { recordOnEndpoint } from "./endpoint-activity.ts";
import { type EndpointRow, lockEndpoint } from "./endpoint-queries.ts";
import type { EndpointDeps } from "./register-endpoint.ts";
import { countLivingSecrets, deleteExpiredSecrets, expireSecrets, insertSecret } from "./secret-queries.ts";
import { createWebhookSecret, sealWebhookSecret } from "./webhook-secret.ts";

/** For each endpoint, including secrets in their grace period. */
export const SECRETS_MAX = 3;
export const GRACE_DEFAULT_SECONDS = 86_400;
export const GRACE_MAX_SECONDS = 604_800;

export type RotatedSecret = { row: EndpointRow; secret: Secret<string>; previousExpiresAt: Date };

/**
 * A new secret. Earlier secrets keep signing for the grace period, or until they expire if that is sooner. Without a grace
 * period they expire at once, and the rotation is never refused: a reseller who lost a secret must not have to wait.
 */
export async function rotateSecret(
  deps: EndpointDeps,
  tenant: Tenant,
  id: string,
  graceSeconds: number,
  by?: By,
): Promise<RotatedSecret> {
  const secret = createWebhookSecret();
  return deps.db.transaction(async (tx) => {
    const row = id.includes("\0") ? undefined : await lockEndpoint(tx, tenant, id);
    if (!row) throw notFound();
    const now = deps.clock.now();
    const previousExpiresAt = new Date(now.getTime() + graceSeconds * 1_000);
    if (graceSeconds > 0 && (await countLivingSecrets(tx, id, now)) >= SECRETS_MAX) throw limitReached();
    await expireSecrets(tx, id, previousExpiresAt);
    await deleteExpiredSecrets(tx, id, now);
    const sealed = sealWebhookSecret(deps.keyring, id, secret);
    await insertSecret(tx, { endpointId: id, sealed, createdAt: now });
    const after = { previousExpiresAt: previousExpiresAt.toISOString() };
    await recordOnEndpoint(tx, deps.clock, { by, tenant, id, action: "webhook.secret_rotated", after });
    return { row, secret, previousExpiresAt };
  });
}

const limitReached = (): Problem =>
  new Problem(
    "secret_limit_reached",
    `The endpoint already has ${SECRETS_MAX} valid secrets. With gracePeriodSeconds 0, all of them expire at once and a new one is issued.`,
  );
