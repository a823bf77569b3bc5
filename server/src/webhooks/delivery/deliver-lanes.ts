import { randomUUID } from "node:crypto";
import type { Db } from "../../db/database.ts";
import { createBatcher } from "../../lib/batch.ts";
import type { Log } from "../../lib/log.ts";
import { type AttemptDeps, attemptDelivery } from "./attempt-delivery.ts";
import type { AttemptRecord } from "./attempt-queries.ts";
import { type ClaimedLane, claimLanes, listDueDeliveries, releaseLanes } from "./lane-queries.ts";
import { createLaneWidths } from "./lane-widths.ts";
import type { DeliveryLimits } from "./limits.ts";
import { recordAttempts } from "./record-attempts.ts";
import { type Lane, type LaneDeps, runLane } from "./run-lane.ts";

export type DeliverDeps = AttemptDeps & {
  db: Db;
  log: Log;
  limits: DeliveryLimits;
  /** Called when a lane has ended: there is room for another. */
  onLaneFree?: () => void;
};

export type Deliverer = {
  /** Takes lanes with due deliveries. Returns whether there may be more. */
  step(): Promise<boolean>;
  /** Waits until no delivery is in progress. */
  idle(): Promise<void>;
  /** Starts nothing more, and waits for deliveries in progress. */
  stop(): Promise<void>;
};

/** How many lanes or attempts one statement reads or writes. */
const TOGETHER_MAX = 256;

/**
 * Sends due deliveries, each endpoint in its own lane. A lane's width shrinks while its endpoint fails and grows back
 * afterwards. Failing lanes can use only part of the capacity, so no endpoint waits for another.
 */
export function createDeliverer(deps: DeliverDeps): Deliverer {
  const { db, clock, limits } = deps;
  const lanes = new Map<string, { lane: Lane; done: Promise<void> }>();
  let isStopping = false;
  let lastPokeMs = Number.NEGATIVE_INFINITY;
  const laneDeps = createLaneDeps(
    deps,
    { laneCount: () => lanes.size, inFlight: () => inFlight(false) },
    () => isStopping,
  );
  const release = createBatcher<Parameters<typeof releaseLanes>[1][number], void>({
    run: async (freed) => {
      await releaseLanes(db, freed);
      return [];
    },
    maxSize: TOGETHER_MAX,
    maxRunning: 1,
  });
  const inFlight = (onlyFailing: boolean) =>
    [...lanes.values()].reduce(
      (sum, { lane }) => sum + (!onlyFailing || lane.isFailing ? Math.max(1, sendingOf(lane)) : 0),
      0,
    );

  const open = (claimed: ClaimedLane, token: string) => {
    const { endpointId } = claimed;
    const lane: Lane = {
      ...claimed,
      token,
      busy: new Set(),
      recording: 0,
      wake: () => {},
      poke: () => {},
    };
    const done = runLane(laneDeps, lane)
      .then((pauseMs) => release({ endpointId, token, freeAt: new Date(clock.now().getTime() + pauseMs) }))
      // Its lease expires by itself.
      .catch((err) =>
        deps.log.error(
          { err, webhookId: endpointId },
          "could not record deliveries; they will be sent again",
        ),
      )
      .finally(() => {
        lanes.delete(endpointId);
        deps.onLaneFree?.();
      });
    lanes.set(endpointId, { lane, done });
  };
  /** A lane that is waiting for a slow delivery looks for more work from time to time. */
  const poke = (nowMs: number) => {
    if (nowMs - lastPokeMs < limits.pollMs) return;
    lastPokeMs = nowMs;
    for (const { lane } of lanes.values()) lane.poke();
  };
  const idle = async () => {
    while (lanes.size > 0) await Promise.all([...lanes.values()].map(({ done }) => done));
  };

  return {
    async step() {
      const now = clock.now();
      poke(now.getTime());
      const free = limits.inFlightMax - inFlight(false);
      if (free <= 0) return false;
      const token = randomUUID();
      const claimed = await claimLanes(db, {
        token,
        now,
        held: [...lanes.keys()],
        leasedUntil: new Date(now.getTime() + limits.leaseMs),
        healthyMax: free,
        failingMax: Math.max(0, Math.min(free, limits.failingInFlightMax - inFlight(true))),
      });
      for (const lane of claimed) open(lane, token);
      return claimed.length > 0;
    },
    idle,
    async stop() {
      isStopping = true;
      await idle();
    },
  };
}

const sendingOf = (lane: Lane): number => lane.busy.size - lane.recording;

/** How many times its width a lane can be sending and recording, if the database is slow. */
const UNRECORDED_TIMES_MAX = 2;

/** What lanes share: the widths of their endpoints, and statements that serve many lanes at once. */
function createLaneDeps(
  deps: DeliverDeps,
  { laneCount, inFlight }: { laneCount: () => number; inFlight: () => number },
  isStopping: () => boolean,
): LaneDeps {
  const { db, clock, limits } = deps;
  const sharedMax = limits.inFlightMax - limits.keptForFirst;
  const widths = createLaneWidths(limits);
  const draining = new Set<string>();
  const record = createBatcher<AttemptRecord, void>({
    run: async (records) => {
      await recordAttempts(db, records, clock.now(), limits, draining);
      return [];
    },
    maxSize: TOGETHER_MAX,
    maxRunning: 2,
  });
  // Every lane can have one delivery. Further ones use only capacity that is not reserved: however wide and slow some lanes
  // are, there is room for the first delivery of every other lane.
  const firstOf = (lane: Lane): number => (sendingOf(lane) === 0 ? 1 : 0);
  const spareNow = (): number => Math.max(0, sharedMax - inFlight());
  const roomOf = (lane: Lane, spare: number): number => {
    const each = Math.max(1, Math.floor(sharedMax / Math.max(1, laneCount())));
    const width = Math.min(lane.isFailing ? 1 : widths.of(lane.endpointId), each);
    const unrecordedMax = UNRECORDED_TIMES_MAX * width;
    return Math.max(
      0,
      Math.min(width - sendingOf(lane), firstOf(lane) + spare, unrecordedMax - lane.busy.size),
    );
  };
  const refill = createBatcher<Lane, Awaited<ReturnType<LaneDeps["refill"]>>>({
    run: async (asking) => {
      let spare = spareNow();
      // As of now: the statement can still find a delivery that ends while it runs.
      const asked = asking.map((lane) => {
        const room = roomOf(lane, spare);
        spare -= Math.max(0, room - firstOf(lane));
        return { lane, room, busy: [...lane.busy] };
      });
      const wanted = asked.map(({ lane, room, busy }) => ({
        endpointId: lane.endpointId,
        count: room,
        busy,
      }));
      const found = Map.groupBy(await listDueDeliveries(db, wanted, clock.now()), (one) => one.endpointId);
      return asked.map(({ lane, room }) => {
        const due = found.get(lane.endpointId) ?? [];
        return { due, mayHaveMore: due.length === room };
      });
    },
    maxSize: TOGETHER_MAX,
    maxRunning: 1,
  });
  return {
    clock,
    limits,
    isStopping,
    roomOf: (lane) => roomOf(lane, spareNow()),
    refill,
    async deliver(lane, delivery) {
      const attempted = await attemptDelivery(deps, lane.token, delivery);
      const isGood = attempted.kind === "delivered" && attempted.latencyMs <= limits.slowMs;
      if (attempted.kind !== "own-fault") widths.adjust(lane.endpointId, isGood ? 1 : 0, isGood ? 0 : 1);
      if (attempted.kind === "delivered") lane.isFailing = false;
      if (!attempted.record) return attempted;
      // After a failure the lane starts nothing more, so it waits until that is recorded.
      const isDone = attempted.kind === "delivered";
      if (isDone) {
        lane.recording += 1;
        lane.wake();
      }
      await record(attempted.record).finally(() => {
        if (isDone) lane.recording -= 1;
      });
      return attempted;
    },
  };
}
