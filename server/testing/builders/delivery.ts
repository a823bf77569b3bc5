import { randomBytes } from "node:crypto";
import { Registry } from "prom-client";
import sql from "sql-template-tag";
import type { Db, Queryable } from "../../src/db/database.ts";
import type { Tenant } from "../../src/http/caller.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { createLog } from "../../src/lib/log.ts";
import { secret } from "../../src/lib/secret.ts";
import { createReseller } from "../../src/resellers/create-reseller.ts";
import { fixedKeyring } from "../../src/vault/keyring.ts";
import { seal } from "../../src/vault/seal.ts";
import {
  createDeliverer,
  type DeliverDeps,
  type Deliverer,
} from "../../src/webhooks/delivery/deliver-lanes.ts";
import { DELIVERY_LIMITS, type DeliveryLimits } from "../../src/webhooks/delivery/limits.ts";
import { createDeliveryMetrics } from "../../src/webhooks/delivery/metrics.ts";
import type { SendOutcome } from "../../src/webhooks/delivery/send-delivery.ts";
import { openWebhookSecret, webhookSecretContext } from "../../src/webhooks/endpoints/webhook-secret.ts";
import { TEST_MASTER_KEY } from "../app/test-settings.ts";
import { newId } from "./new-id.ts";

export const MASTER_KEYS = [secret(TEST_MASTER_KEY)] as const;

export const newSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`;

export async function addTenant(db: Db, environment: Tenant["environment"] = "live"): Promise<Tenant> {
  const about = { name: "Receiver", currency: "USD", email: "owner@receiver.example" };
  const { id: resellerId } = await createReseller(db, systemClock, about);
  return { resellerId, environment };
}

export type EndpointSeed = {
  url?: string;
  events?: string[] | null;
  active?: boolean;
  deleted?: boolean;
  failingSince?: Date;
};

/** Inserts an endpoint with a secret directly into the tables. */
export async function addEndpoint(
  db: Queryable,
  { resellerId, environment }: Tenant,
  {
    url = "https://receiver.example/hook",
    events = null,
    active = true,
    deleted,
    failingSince,
  }: EndpointSeed = {},
): Promise<{ id: string; secret: string }> {
  const id = newId("whk");
  await db.rows(sql`
    insert into webhook_endpoints (id, reseller_id, environment, url, events, active, created_at, updated_at, deleted_at,
                                   failing_since, failures)
    values (${id}, ${resellerId}, ${environment}, ${url}, ${events}, ${active && !deleted}, now(), now(),
            case when ${deleted ?? false} then now() end, ${failingSince ?? null}, ${failingSince ? 1 : 0})`);
  return { id, secret: await addSecret(db, id) };
}

export async function addSecret(db: Queryable, endpointId: string, text = newSecret()): Promise<string> {
  const sealed = seal(MASTER_KEYS, webhookSecretContext(endpointId), Buffer.from(text));
  await db.rows(sql`
    insert into webhook_secrets (endpoint_id, sealed, created_at) values (${endpointId}, ${sealed}, now())`);
  return text;
}

/**
 * Inserts events that are due at all of these endpoints and returns their ids in order. In one statement, because
 * some tests need many.
 */
export async function addDue(
  db: Queryable,
  { resellerId, environment }: Tenant,
  endpointIds: readonly string[],
  { count = 1, at = new Date(), step = 0 }: { count?: number; at?: Date; step?: number } = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId("evt"));
  await db.rows(sql`
    with told as (
      insert into events (id, reseller_id, environment, type, body, created_at)
      select id, ${resellerId}, ${environment}, 'order.fulfilled',
             '{"id":"' || id || '","type":"order.fulfilled","note":"naïve  ☃"}', ${at}
      from unnest(${ids}::text[]) id
      returning id
    )
    insert into deliveries (id, event_id, endpoint_id, step, attempts, next_attempt_at, created_at)
    select delivery_id(told.id, w), told.id, w, ${step}, ${step}, ${at}, ${at}
    from told cross join unnest(${endpointIds}::text[]) w`);
  return ids;
}

export const outcome = (changes: Partial<SendOutcome> = {}): SendOutcome => ({
  kind: "delivered",
  responseStatus: 200,
  error: null,
  responseHeaders: null,
  responseBody: null,
  latencyMs: 3,
  retryAfterMs: undefined,
  ...changes,
});
export const refusal = (changes: Partial<SendOutcome> = {}): SendOutcome =>
  outcome({ kind: "failed", responseStatus: 500, ...changes });

export type TestDeliverer = Deliverer & {
  /** Runs steps until no lane with due work is free. */
  drain(): Promise<void>;
};

/** A worker that runs its steps on demand. */
export function createTestDeliverer(
  db: Db,
  clock: Clock,
  send: DeliverDeps["send"],
  changes: Partial<DeliveryLimits> = {},
): TestDeliverer {
  const deliverer = createDeliverer(createTestDeps(db, clock, send, changes));
  return {
    ...deliverer,
    async drain() {
      while (await deliverer.step()) await deliverer.idle();
    },
  };
}

export const createTestDeps = (
  db: Db,
  clock: Clock,
  send: DeliverDeps["send"],
  changes: Partial<DeliveryLimits> = {},
): DeliverDeps => ({
  db,
  clock,
  log: createLog("silent", { write: () => {} }),
  limits: { ...DELIVERY_LIMITS, ...changes },
  metrics: createDeliveryMetrics(new Registry()),
  openSecret: (endpointId, sealed) => openWebhookSecret(fixedKeyring(MASTER_KEYS), endpointId, sealed),
  send,
});

export type DeliveryRow = {
  endpointId: string;
  eventId: string;
  status: string;
  step: number;
  attempts: number;
  nextAttemptAt: Date | null;
};

export const listDeliveries = (db: Queryable, endpointId: string) =>
  db.rows<DeliveryRow>(sql`
    select endpoint_id as "endpointId", event_id as "eventId", status, step, attempts, next_attempt_at as "nextAttemptAt"
    from deliveries where endpoint_id = ${endpointId} order by event_id`);
