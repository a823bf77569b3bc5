import type { ScripEvent } from "@scrip/sdk";
import { createBell, endsWithin } from "./pause.ts";
import type { PostOutcome } from "./post-event.ts";

/** The result of one attempt, and what follows. */
export type Forward = PostOutcome & {
  event: ScripEvent;
  /** From 1. */
  attempt: number;
  result: "delivered" | "retrying" | "given_up";
  /** Time until the next attempt. */
  retryInMs: number | undefined;
};

export type ForwardQueue = {
  /** In the order of their creation. */
  add(events: readonly ScripEvent[]): void;
  /** Forwards until the signal, then waits briefly for running attempts. */
  run(signal: AbortSignal): Promise<void>;
  delivered(): number;
  /** Events that are waiting, running or given up. */
  undelivered(): number;
};

export type ForwardDeps = {
  /** One attempt. It never throws. */
  post(event: ScripEvent): Promise<PostOutcome>;
  report(forward: Forward): void;
  nowMs(): number;
  /** The pause before each further attempt; after the last one the event is given up. */
  retryPausesMs?: readonly number[];
};

type Waiting = { event: ScripEvent; attempt: number; dueMs: number };

const RETRY_PAUSES_MS: readonly number[] = [2_000, 5_000, 10_000, 30_000];
/** After this time the next event is sent without waiting for the response. */
const HOLD_UP_MAX_MS = 1_000;
const UNDER_WAY_MAX = 16;
const STOP_GRACE_MS = 1_000;
/** Practically infinite: any change ends the wait. */
const IDLE_MS = 3_600_000;

/** Forwards events in order while the receiver responds. A failed event is retried while others continue. */
export function createForwardQueue(deps: ForwardDeps): ForwardQueue {
  const { retryPausesMs = RETRY_PAUSES_MS } = deps;
  /** Ordered by due time; events due at the same time keep their order. */
  const waiting: Waiting[] = [];
  const underWay = new Set<Promise<void>>();
  const bell = createBell();
  let delivered = 0;
  let known = 0;
  let isOver = false;

  const enqueue = (item: Waiting): void => {
    insert(waiting, item);
    bell.ring();
  };

  const attempt = async ({ event, attempt }: Waiting): Promise<void> => {
    const outcome = await deps.post(event);
    if (isOver) return;
    const forward = { ...outcome, event, attempt, ...judge(outcome, retryPausesMs[attempt - 1]) };
    const { result, retryInMs } = forward;
    if (result === "delivered") delivered += 1;
    if (retryInMs !== undefined) enqueue({ event, attempt: attempt + 1, dueMs: deps.nowMs() + retryInMs });
    deps.report(forward);
  };

  const start = (item: Waiting): Promise<void> => {
    const started = attempt(item).finally(() => {
      underWay.delete(started);
      bell.ring();
    });
    underWay.add(started);
    return started;
  };

  return {
    add(events) {
      known += events.length;
      for (const event of events) enqueue({ event, attempt: 1, dueMs: deps.nowMs() });
    },
    async run(signal) {
      signal.addEventListener("abort", bell.ring, { once: true });
      while (!signal.aborted) {
        const [first] = waiting;
        const inMs = first && underWay.size < UNDER_WAY_MAX ? first.dueMs - deps.nowMs() : IDLE_MS;
        if (first && inMs <= 0) {
          waiting.shift();
          await endsWithin(start(first), HOLD_UP_MAX_MS);
        } else {
          await bell.wait(inMs);
        }
      }
      await endsWithin(Promise.all(underWay), STOP_GRACE_MS);
      isOver = true;
    },
    delivered: () => delivered,
    undelivered: () => known - delivered,
  };
}

/** Inserts after all events that are due no later. */
function insert(waiting: Waiting[], item: Waiting): void {
  const index = waiting.findLastIndex(({ dueMs }) => dueMs <= item.dueMs);
  waiting.splice(index + 1, 0, item);
}

function judge(
  { status = 0 }: PostOutcome,
  pauseMs: number | undefined,
): Pick<Forward, "result" | "retryInMs"> {
  if (status >= 200 && status < 300) return { result: "delivered", retryInMs: undefined };
  return { result: pauseMs === undefined ? "given_up" : "retrying", retryInMs: pauseMs };
}
