import type { Clock } from "../../lib/clock.ts";
import type { Attempted } from "./attempt-delivery.ts";
import type { ClaimedLane, DueDelivery } from "./lane-queries.ts";
import type { DeliveryLimits } from "./limits.ts";

/** One endpoint's turn. */
export type Lane = ClaimedLane & {
  token: string;
  /** Deliveries that are being sent or recorded. */
  readonly busy: Set<string>;
  /** How many of them have been delivered and are only being recorded. The endpoint has nothing to do with those. */
  recording: number;
  /** A delivery of the lane has been sent: there may be room for the next. */
  wake: () => void;
  /** Look again: there may be more to send. */
  poke: () => void;
};

export type LaneDeps = {
  clock: Clock;
  limits: DeliveryLimits;
  isStopping: () => boolean;
  /** How many deliveries of the lane can start now. */
  roomOf: (lane: Lane) => number;
  /** Due deliveries that are not in progress, as many as there is room for, and whether there may be more. */
  refill: (lane: Lane) => Promise<{ due: readonly DueDelivery[]; mayHaveMore: boolean }>;
  /** Sends one delivery and records how it went. */
  deliver: (lane: Lane, delivery: DueDelivery) => Promise<Attempted>;
};

/**
 * Keeps a lane busy until nothing is due, its turn is over or something failed, then waits for deliveries in progress. The
 * next delivery starts as soon as one has been sent, so that neither a slow one nor the database holds up the others. Returns how long to pause
 * the endpoint. Throws if an attempt was not recorded.
 */
export async function runLane(deps: LaneDeps, lane: Lane): Promise<number> {
  const { clock, limits } = deps;
  const endsAtMs = clock.now().getTime() + limits.laneTurnMs;
  // A clock that is set back must not make a turn longer than its lease.
  const beganMs = performance.now();
  const isOver = () => clock.now().getTime() >= endsAtMs || performance.now() - beganMs >= limits.laneTurnMs;
  const errors: unknown[] = [];
  let hasFailed = false;
  let deliveredSince = 0;
  let mayHaveMore = true;
  let woken = Promise.withResolvers<void>();
  lane.wake = () => woken.resolve();
  lane.poke = () => {
    mayHaveMore = true;
    woken.resolve();
  };

  const begin = (delivery: DueDelivery) => {
    lane.busy.add(delivery.id);
    deps
      .deliver(lane, delivery)
      .then(({ kind }) => {
        if (kind === "delivered") deliveredSince += 1;
        else if (!hasFailed) [hasFailed, deliveredSince] = [true, 0];
      })
      .catch((error) => void errors.push(error))
      .finally(() => {
        lane.busy.delete(delivery.id);
        woken.resolve();
      });
  };
  const isOpen = () => !hasFailed && errors.length === 0 && !deps.isStopping() && !isOver();
  const fill = async () => {
    const found = await deps.refill(lane);
    mayHaveMore = found.mayHaveMore;
    // The turn may have ended meanwhile. Then another turn finds it.
    if (isOpen()) for (const delivery of found.due) begin(delivery);
  };

  while (lane.busy.size > 0 || (mayHaveMore && isOpen())) {
    woken = Promise.withResolvers<void>();
    if (mayHaveMore && isOpen() && deps.roomOf(lane) > 0) await fill().catch((error) => errors.push(error));
    if (lane.busy.size > 0) await woken.promise;
  }
  if (errors.length > 0) throw errors[0];
  // Our own faults pause the lane too. A delivery that stays due would otherwise be tried again at once, in a loop.
  return hasFailed && deliveredSince === 0 ? limits.failingPauseMs : 0;
}
