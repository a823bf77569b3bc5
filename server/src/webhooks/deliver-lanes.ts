import { randomUUID } from "node:crypto";
import type { Db } from "../db/database.ts";
import { createBatcher } from "../lib/batch.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import type { AttemptRecord } from "./attempt-queries.ts";
import type { DeliveryLimits } from "./delivery-limits.ts";
import type { DeliveryMetrics } from "./delivery-metrics.ts";
import {
  type ClaimedLane,
  claimLanes,
  type DueDelivery,
  listDueDeliveries,
  releaseLanes,
} from "./lane-queries.ts";
import { createLaneWidths } from "./lane-widths.ts";
import { recordAttempts } from "./record-attempts.ts";
import { retryPauseMs } from "./retry-schedule.ts";
import type { Sending, SendOutcome } from "./send-delivery.ts";
import { signDelivery } from "./sign-delivery.ts";

export type DeliverDeps = {
  db: Db;
  clock: Clock;
  log: Log;
  limits: DeliveryLimits;
  metrics: DeliveryMetrics;
  openSecret: (endpointId: string, sealed: Buffer) => string;
  send: (sending: Sending) => Promise<SendOutcome>;
  /** A lane has ended: there is room, and perhaps more of it. */
  onLaneFree?: () => void;
};

export type Deliverer = {
  /** Takes lanes in which something is due; true when there may be more. */
  step(): Promise<boolean>;
  idle(): Promise<void>;
};

/**
 * Sends what is due, each endpoint in a lane of its own. A lane has a width, which shrinks while its endpoint fails and
 * grows back; of all that is under way only a part may belong to lanes that fail, so no endpoint ever waits for another.
 */
export function createDeliverer(deps: DeliverDeps): Deliverer {
  const { db, clock, limits } = deps;
  const widths = createLaneWidths(limits);
  const lanes = new Map<string, { isFailing: boolean; count: number; done: Promise<void> }>();
  const draining = new Set<string>();
  const record = createBatcher<AttemptRecord, void>({
    run: async (records) => {
      await recordAttempts(db, records, clock.now(), limits, draining);
      return [];
    },
    maxSize: RECORDED_AT_ONCE,
    maxRunning: 2,
  });
  const inFlight = (onlyFailing: boolean) =>
    [...lanes.values()].reduce((sum, lane) => sum + (!onlyFailing || lane.isFailing ? lane.count : 0), 0);

  const runLane = async (token: string, { endpointId }: ClaimedLane, due: readonly DueDelivery[]) => {
    const results = await Promise.all(due.map((delivery) => attempt(deps, token, delivery)));
    const countOf = (kind: SendOutcome["kind"]) => results.filter((result) => result.kind === kind).length;
    const delivered = countOf("delivered");
    const slow = results.filter(
      (result) => result.kind === "delivered" && result.latencyMs > limits.slowMs,
    ).length;
    widths.adjust(endpointId, delivered - slow, countOf("failed") + slow);
    await Promise.all(results.flatMap(({ record: one }) => (one ? [record(one)] : [])));
    // Our own faults pause too: what is due as before would be tried again at once, without end.
    const pauseMs = results.length > 0 && delivered === 0 ? limits.failingPauseMs : 0;
    await releaseLanes(db, [{ endpointId, token, freeAt: new Date(clock.now().getTime() + pauseMs) }]);
  };

  return {
    async step() {
      const free = limits.inFlightMax - inFlight(false);
      if (free <= 0) return false;
      const freeForFailing = Math.min(free, limits.failingInFlightMax - inFlight(true));
      const now = clock.now();
      const token = randomUUID();
      const claimed = await claimLanes(db, {
        token,
        now,
        leasedUntil: new Date(now.getTime() + limits.leaseMs),
        healthyMax: free,
        failingMax: Math.max(0, freeForFailing),
      });
      if (claimed.length === 0) return false;
      const shares = shareOut(claimed, free - limits.keptForFirst, (lane) =>
        lane.isFailing ? 1 : widths.of(lane.endpointId),
      );
      const due = Map.groupBy(await listDueDeliveries(db, shares, now), (delivery) => delivery.endpointId);
      for (const lane of claimed) {
        const deliveries = due.get(lane.endpointId) ?? [];
        const done = runLane(token, lane, deliveries)
          .catch((err) =>
            deps.log.error(
              { err, webhookId: lane.endpointId },
              "deliveries were not recorded; they are repeated",
            ),
          )
          .finally(() => {
            lanes.delete(lane.endpointId);
            deps.onLaneFree?.();
          });
        lanes.set(lane.endpointId, {
          isFailing: lane.isFailing,
          count: Math.max(1, deliveries.length),
          done,
        });
      }
      return true;
    },
    async idle() {
      while (lanes.size > 0) await Promise.all([...lanes.values()].map((lane) => lane.done));
    },
  };
}

const RECORDED_AT_ONCE = 256;

/**
 * Every lane gets one. More than one only from what is not kept back: however wide and slow some lanes are, there is
 * room for the first delivery of the others.
 */
function shareOut(
  lanes: readonly ClaimedLane[],
  free: number,
  widthOf: (lane: ClaimedLane) => number,
): { endpointId: string; count: number }[] {
  const each = Math.max(1, Math.floor(Math.max(0, free) / lanes.length));
  return lanes.map((lane) => ({ endpointId: lane.endpointId, count: Math.min(widthOf(lane), each) }));
}

type Attempted = Pick<SendOutcome, "kind" | "latencyMs"> & { record: AttemptRecord | undefined };

/** Time and signature are fresh for each attempt; the body is the one that was stored. */
async function attempt(deps: DeliverDeps, token: string, delivery: DueDelivery): Promise<Attempted> {
  const { clock, metrics } = deps;
  const at = clock.now();
  const secrets = (delivery.secrets ?? []).map(({ sealed }) =>
    deps.openSecret(delivery.endpointId, Buffer.from(sealed, "hex")),
  );
  // What another body is signed with does not verify for this one.
  const signed = delivery.scenario === "webhook_bad_signature" ? `${delivery.body} ` : delivery.body;
  const send = () =>
    deps.send({
      url: delivery.url,
      body: delivery.body,
      headers: {
        "content-type": "application/json",
        "user-agent": "Scrip-Webhooks/1",
        "service-signature": signDelivery(secrets, Math.floor(at.getTime() / 1_000), signed),
        "service-event-id": delivery.eventId,
        "service-event-type": delivery.eventType,
      },
    });
  const outcome = await send();
  metrics.count(outcome);
  // Before it is recorded, so that no crash can make one of two. How it goes does not matter.
  if (delivery.scenario === "webhook_duplicate" && outcome.kind === "delivered") await send();
  // Our own fault: nothing is written, and it is due as before.
  if (outcome.kind === "own-fault") return { ...outcome, record: undefined };
  return { ...outcome, record: toRecord(token, delivery, outcome, at, clock.now()) };
}

function toRecord(
  token: string,
  delivery: DueDelivery,
  { kind, responseStatus, error, responseBody, latencyMs, retryAfterMs }: SendOutcome,
  at: Date,
  now: Date,
): AttemptRecord {
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
    responseBody,
    latencyMs,
    status: kind === "delivered" ? "delivered" : pauseMs === undefined ? "failed" : "pending",
    step,
    nextAttemptAt: pauseMs === undefined ? null : new Date(now.getTime() + pauseMs),
    countsAgainst: delivery.scenario !== "webhook_bad_signature",
  };
}
