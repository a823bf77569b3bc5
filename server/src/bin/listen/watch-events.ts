import type { Client, ScripEvent } from "@scrip/sdk";
import { advanceWindow, OVERLAP_MS, openWindow, type Walk } from "./event-window.ts";

export type EventWatch = {
  /** From now on. What is there already is passed over. */
  begin(signal: AbortSignal): Promise<void>;
  /** What has come since the last time, in the order of its creation, each event once. */
  poll(signal: AbortSignal): Promise<ScripEvent[]>;
};

type WatchDeps = { events: Client["events"]; nowMs: () => number };

const PAGE_SIZE = 100;
/** How often the window is walked to its beginning, for what came late. In between a page without news ends the walk. */
const WHOLE_WALK_EVERY_MS = 10_000;
const EVENTS_AT_ONCE_MAX = 50_000;

/** Follows the list of events. A poll that fails changes nothing, and the next one begins where it began. */
export function watchEvents(deps: WatchDeps, sinceMs: number | undefined): EventWatch {
  let window = openWindow(sinceMs);
  let wholeAtMs = Number.NEGATIVE_INFINITY;
  const poll = async (signal: AbortSignal): Promise<ScripEvent[]> => {
    const beganMs = deps.nowMs();
    const isWhole = beganMs - wholeAtMs >= WHOLE_WALK_EVERY_MS;
    const walk = await walkEvents(deps, window, { isWhole, signal });
    const advanced = advanceWindow(window, { ...walk, beganMs, endedMs: deps.nowMs() });
    if (walk.isWhole) wholeAtMs = beganMs;
    window = advanced.window;
    return advanced.fresh;
  };
  return {
    async begin(signal) {
      if (sinceMs !== undefined) return;
      const { data } = await deps.events.list({ limit: 1 }, { signal });
      const createdMs = Date.parse(data[0]?.created_at ?? "");
      if (!Number.isNaN(createdMs)) window = openWindow(createdMs - OVERLAP_MS);
      await poll(signal);
    },
    poll,
  };
}

async function walkEvents(
  { events }: WatchDeps,
  { fromMs, seen }: { fromMs: number | undefined; seen: ReadonlySet<string> },
  { isWhole, signal }: { isWhole: boolean; signal: AbortSignal },
): Promise<Pick<Walk, "events" | "isWhole">> {
  const found: ScripEvent[] = [];
  const filters = {
    limit: PAGE_SIZE,
    ...(fromMs === undefined ? {} : { createdFrom: new Date(fromMs).toISOString() }),
  };
  for await (const { data, hasMore } of events.list(filters, { signal }).pages()) {
    found.push(...data);
    if (found.length > EVENTS_AT_ONCE_MAX) {
      throw new Error(
        `there are more than ${EVENTS_AT_ONCE_MAX} events since ${filters.createdFrom ?? "the beginning"}; begin later, with --since`,
      );
    }
    if (!isWhole && hasMore && data.every(({ id }) => seen.has(id))) return { events: found, isWhole: false };
  }
  return { events: found, isWhole: true };
}
