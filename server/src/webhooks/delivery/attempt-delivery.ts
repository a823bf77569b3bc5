import type { Clock } from "../../lib/clock.ts";
import type { AttemptOutcome, AttemptRecord } from "./attempt-queries.ts";
import type { DueDelivery } from "./lane-queries.ts";
import type { DeliveryMetrics } from "./metrics.ts";
import { retryPauseMs } from "./retry-schedule.ts";
import type { Sending, SendOutcome } from "./send-delivery.ts";
import { signDelivery } from "./sign-delivery.ts";

export type AttemptDeps = {
  clock: Clock;
  /** The clock of this machine: signatures name its time, which receivers compare with their own. `clock` unless given. */
  machineClock?: Clock | undefined;
  metrics: DeliveryMetrics;
  openSecret: (endpointId: string, sealed: Buffer) => string;
  send: (sending: Sending) => Promise<SendOutcome>;
};

export type Attempted = Pick<SendOutcome, "kind" | "latencyMs"> & { record: AttemptRecord | undefined };

/** What deliveries call themselves. */
export const USER_AGENT = "Scrip-Webhooks/1";

/** Time and signature are fresh for each attempt; the body is the one that was stored. */
export async function attemptDelivery(
  deps: AttemptDeps,
  token: string,
  delivery: DueDelivery,
): Promise<Attempted> {
  const { clock, metrics } = deps;
  const at = clock.now();
  const sending = toSending(deps, delivery, (deps.machineClock ?? clock).now());
  const outcome = await deps.send(sending);
  metrics.count(outcome);
  // Sent before the first attempt is recorded, so that a crash cannot lose the second. Its outcome is shown, and nothing else.
  const again = delivery.sendTwice && outcome.kind === "delivered" ? await sendAgain(deps, sending) : null;
  // Our own fault: nothing is recorded, and the delivery stays due.
  if (outcome.kind === "own-fault") return { ...outcome, record: undefined };
  return { ...outcome, record: { ...toRecord(token, delivery, outcome, at, clock.now()), again } };
}

/** Null if it did not reach the endpoint. */
async function sendAgain({ clock, send }: AttemptDeps, sending: Sending): Promise<AttemptOutcome | null> {
  const at = clock.now();
  const { kind, responseStatus, error, responseHeaders, responseBody, latencyMs } = await send(sending);
  return kind === "own-fault"
    ? null
    : { at, responseStatus, error, responseHeaders, responseBody, latencyMs };
}

function toSending({ openSecret }: AttemptDeps, delivery: DueDelivery, at: Date): Sending {
  const secrets = (delivery.secrets ?? []).map(({ sealed }) =>
    openSecret(delivery.endpointId, Buffer.from(sealed, "hex")),
  );
  // The signature of another body does not verify for this one.
  const signed = delivery.badSignature ? `${delivery.body} ` : delivery.body;
  return {
    url: delivery.url,
    body: delivery.body,
    headers: {
      "content-type": "application/json",
      "user-agent": USER_AGENT,
      "service-signature": signDelivery(secrets, Math.floor(at.getTime() / 1_000), signed),
      "service-event-id": delivery.eventId,
      "service-event-type": delivery.eventType,
    },
  };
}

function toRecord(
  token: string,
  delivery: DueDelivery,
  { kind, responseStatus, error, responseHeaders, responseBody, latencyMs, retryAfterMs }: SendOutcome,
  at: Date,
  now: Date,
): Omit<AttemptRecord, "again"> {
  const step = delivery.step + 1;
  const pauseMs = kind === "delivered" ? undefined : retryPauseMs(step, retryAfterMs);
  return {
    deliveryId: delivery.id,
    endpointId: delivery.endpointId,
    token,
    number: delivery.attempts + 1,
    at,
    responseStatus,
    error,
    responseHeaders,
    responseBody,
    latencyMs,
    status: kind === "delivered" ? "delivered" : pauseMs === undefined ? "failed" : "pending",
    step,
    nextAttemptAt: pauseMs === undefined ? null : new Date(now.getTime() + pauseMs),
    countsAgainst: !delivery.badSignature || responseStatus === null,
  };
}
