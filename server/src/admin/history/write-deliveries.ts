import { randomUUID } from "node:crypto";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import { idsOf, timeOfId } from "../../lib/ids.ts";
import type { Keyring } from "../../vault/keyring.ts";
import type { AttemptRecord } from "../../webhooks/delivery/attempt-queries.ts";
import {
  claimLanes,
  type DueDelivery,
  listDueDeliveries,
  releaseLanes,
} from "../../webhooks/delivery/lane-queries.ts";
import { DELIVERY_LIMITS } from "../../webhooks/delivery/limits.ts";
import { recordAttempts } from "../../webhooks/delivery/record-attempts.ts";
import { retryPauseMs } from "../../webhooks/delivery/retry-schedule.ts";
import { insertEndpoint } from "../../webhooks/endpoints/endpoint-queries.ts";
import { insertSecret } from "../../webhooks/endpoints/secret-queries.ts";
import { createWebhookSecret, sealWebhookSecret } from "../../webhooks/endpoints/webhook-secret.ts";
import type { Chance } from "./chance.ts";
import { clockAt } from "./write-orders.ts";

/** An endpoint of the history. Its answers are made up here: nothing is sent. */
export type PastEndpoint = { id: string; failsFrom: Date | undefined };

const DELIVERIES_MAX = 10_000;
const LANES_MAX = 10;
const ATTEMPTS_AT_ONCE = 500;
const LEASE_MS = 60_000;

/** Adds an endpoint as it would have been registered then. Its host is not resolved: no such host exists. */
export async function addPastEndpoint(
  { db, keyring }: { db: Db; keyring: Keyring },
  tenant: Tenant,
  { url, at, failsFrom }: { url: string; at: Date; failsFrom?: Date },
): Promise<PastEndpoint> {
  const id = idsOf(clockAt(at))("whk");
  const row = { id, url, events: null, active: true, createdAt: at, updatedAt: at, failingSince: null };
  await db.transaction(async (tx) => {
    await insertEndpoint(tx, tenant, row);
    const sealed = sealWebhookSecret(keyring, id, createWebhookSecret());
    await insertSecret(tx, { endpointId: id, sealed, createdAt: at });
  });
  return { id, failsFrom };
}

/** Attempts every delivery that was due by now, and again by the schedule of retries as long as it failed. */
export async function writeDeliveries(
  db: Db,
  chance: Chance,
  endpoints: readonly PastEndpoint[],
  now: Date,
): Promise<void> {
  const token = randomUUID();
  const claim = { token, now, held: [], leasedUntil: new Date(now.getTime() + LEASE_MS) };
  await claimLanes(db, { ...claim, healthyMax: LANES_MAX, failingMax: LANES_MAX });
  const byId = new Map(endpoints.map((one) => [one.id, one]));
  const lanes = endpoints.map(({ id }) => ({ endpointId: id, count: DELIVERIES_MAX, busy: [] }));
  const dueAt = new Map<string, number>();
  for (;;) {
    const due = await listDueDeliveries(db, lanes, now);
    if (due.length === 0) break;
    const records = due.map((delivery) => {
      const atMs = dueAt.get(delivery.id) ?? timeOfId(delivery.eventId) + chance.between(60, 400);
      const failsFrom = byId.get(delivery.endpointId)?.failsFrom;
      const record = toRecord(chance, token, delivery, new Date(atMs), failsFrom);
      if (record.nextAttemptAt) dueAt.set(delivery.id, record.nextAttemptAt.getTime());
      return record;
    });
    // A success clears the failures before it, so an outage is written after the successes that it followed.
    await writeRecords(db, records.filter(isDelivered));
    await writeRecords(
      db,
      records.filter((one) => !isDelivered(one)),
    );
  }
  await releaseLanes(
    db,
    endpoints.map(({ id }) => ({ endpointId: id, token, freeAt: now })),
  );
}

const isDelivered = ({ status }: AttemptRecord): boolean => status === "delivered";

async function writeRecords(db: Db, records: readonly AttemptRecord[]): Promise<void> {
  const sorted = records.toSorted((a, b) => a.at.getTime() - b.at.getTime());
  for (let from = 0; from < sorted.length; from += ATTEMPTS_AT_ONCE) {
    const part = sorted.slice(from, from + ATTEMPTS_AT_ONCE);
    const last = part.at(-1)?.at ?? new Date(0);
    await recordAttempts(db, part, last, DELIVERY_LIMITS, new Set());
  }
}

type Answer = Pick<
  AttemptRecord,
  "responseStatus" | "responseHeaders" | "responseBody" | "error" | "latencyMs"
>;

/** Answers of a receiver while it works, while it is down, and now and then in between. */
function answerOf(chance: Chance, isDown: boolean, isFirst: boolean): Answer {
  if (isDown && chance.happens(0.3))
    return {
      responseStatus: null,
      responseHeaders: null,
      responseBody: null,
      error: "timeout",
      latencyMs: 15_000,
    };
  if (isDown)
    return {
      responseStatus: 503,
      responseHeaders: "content-type: text/html\nretry-after: 120\nserver: nginx",
      responseBody: "<html><head><title>503 Service Temporarily Unavailable</title></head></html>",
      error: null,
      latencyMs: chance.between(35, 180),
    };
  if (isFirst && chance.happens(0.015))
    return {
      responseStatus: 502,
      responseHeaders: "content-type: text/plain",
      responseBody: "upstream connect error",
      error: null,
      latencyMs: chance.between(200, 900),
    };
  return {
    responseStatus: 200,
    responseHeaders: "content-type: application/json",
    responseBody: '{"received":true}',
    error: null,
    latencyMs: chance.between(38, 210),
  };
}

function toRecord(
  chance: Chance,
  token: string,
  delivery: DueDelivery,
  at: Date,
  failsFrom: Date | undefined,
): AttemptRecord {
  const step = delivery.step + 1;
  const answer = answerOf(chance, failsFrom !== undefined && at >= failsFrom, step === 1);
  const isSuccess = answer.responseStatus === 200;
  const pauseMs = isSuccess ? undefined : retryPauseMs(step, undefined, chance.share());
  return {
    ...answer,
    deliveryId: delivery.id,
    endpointId: delivery.endpointId,
    token,
    number: delivery.attempts + 1,
    at,
    status: isSuccess ? "delivered" : pauseMs === undefined ? "failed" : "pending",
    step,
    nextAttemptAt: pauseMs === undefined ? null : new Date(at.getTime() + answer.latencyMs + pauseMs),
    countsAgainst: true,
    again: null,
  };
}
