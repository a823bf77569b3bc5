import type { Client, ScripEvent } from "@scrip/sdk";
import { advanceWindow, OVERLAP_MS, openWindow, type Walk } from "./event-window.ts";

export type EventWatch = {
  /** Starts now. Existing events are skipped. */
  begin(signal: AbortSignal): Promise<void>;
  /** New events since the last call, in the order of creation, each once. */
  poll(signal: AbortSignal): Promise<ScripEvent[]>;
};

type WatchDeps = { events: Client["events"]; nowMs: () => number };

const PAGE_SIZE = 100;
/** How often the whole window is read, to find late events. In between a page without new events ends the walk. */
const WHOLE_WALK_EVERY_MS = 10_000;
const EVENTS_AT_ONCE_MAX = 50_000;

/** Follows the list of events. A failed poll changes nothing; the next one starts at the same place. */
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
        `more than ${EVENTS_AT_ONCE_MAX} events since ${filters.createdFrom ?? "the beginning"}; use a later --since`,
      );
    }
    if (!isWhole && hasMore && data.every(({ id }) => seen.has(id))) return { events: found, isWhole: false };
  }
  return { events: found, isWhole: true };
}
