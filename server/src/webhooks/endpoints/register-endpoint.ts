import type { By } from "../../activity/record-activity.ts";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { idsOf } from "../../lib/ids.ts";
import { Problem } from "../../lib/problem.ts";
import type { Secret } from "../../lib/secret.ts";
import type { Keyring } from "../../vault/keyring.ts";
import { assertWebhookUrl } from "../addresses/assert-webhook-url.ts";
import type { WebhookSettings } from "../settings.ts";
import { endpointSummary, recordOnEndpoint } from "./endpoint-activity.ts";
import { countEndpoints, type EndpointRow, insertEndpoint, lockEndpoints } from "./endpoint-queries.ts";
import { insertSecret } from "./secret-queries.ts";
import { assertSubscription } from "./subscription.ts";
import { createWebhookSecret, sealWebhookSecret } from "./webhook-secret.ts";

export type EndpointDeps = { db: Db; clock: Clock; keyring: Keyring; webhooks: WebhookSettings };

/** In each environment of a reseller. Removed endpoints do not count. */
export const ENDPOINTS_MAX = 16;

/** Creates an endpoint and returns its secret, which is never shown again. */
export async function registerEndpoint(
  deps: EndpointDeps,
  tenant: Tenant,
  input: { url: string; events?: string[] },
  by?: By,
): Promise<{ row: EndpointRow; secret: Secret<string> }> {
  if (input.events) assertSubscription(input.events);
  await assertWebhookUrl(deps.webhooks, input.url);
  const now = deps.clock.now();
  const row: EndpointRow = {
    id: idsOf(deps.clock)("whk"),
    url: input.url,
    events: input.events ?? null,
    active: true,
    createdAt: now,
    updatedAt: now,
    failingSince: null,
  };
  const secret = createWebhookSecret();
  await deps.db.transaction(async (tx) => {
    await lockEndpoints(tx, tenant);
    if ((await countEndpoints(tx, tenant)) >= ENDPOINTS_MAX) throw limitReached();
    await insertEndpoint(tx, tenant, row);
    const made = { by, tenant, id: row.id, action: "webhook.created", after: endpointSummary(row) } as const;
    await recordOnEndpoint(tx, deps.clock, made);
    // Sealed while holding the lock: a seal that waited for it could miss a rotation of the master key.
    const sealed = sealWebhookSecret(deps.keyring, row.id, secret);
    await insertSecret(tx, { endpointId: row.id, sealed, createdAt: now });
  });
  return { row, secret };
}

const limitReached = (): Problem =>
  new Problem("webhook_limit_reached", `You already have ${ENDPOINTS_MAX} endpoints, which is the maximum.`);
