import type { ScripEvent } from "@scrip/sdk";

/** The range of events that is read, and the events in it that are already known. */
export type EventWindow = {
  /** Its start, by the API's clock; undefined before the first event. */
  fromMs: number | undefined;
  /** Every event that the next walk can see again. */
  seen: ReadonlySet<string>;
  /** The newest event: when it was created, by the API's clock, and when it was seen, by ours. */
  youngest: { createdMs: number; metMs: number } | undefined;
};

/** Events as the API lists them, newest first. */
export type Walk = {
  events: readonly ScripEvent[];
  /** Whether it reached the start of the window. */
  isWhole: boolean;
  beganMs: number;
  endedMs: number;
};

/**
 * An event gets its time before its transaction commits, so a newer event can be visible first. The window starts this far in
 * the past, to find late events.
 */
export const OVERLAP_MS = 60_000;

export const openWindow = (fromMs: number | undefined): EventWindow => ({
  fromMs,
  seen: new Set(),
  youngest: undefined,
});

/** Adds a walk: returns its new events, in the order of creation, and the window of the next walk. */
export function advanceWindow(
  { fromMs, seen, youngest }: EventWindow,
  { events, isWhole, beganMs, endedMs }: Walk,
): { window: EventWindow; fresh: ScripEvent[] } {
  const ids = events.map(({ id }) => id);
  const next = events.map((event) => meet(event, endedMs)).reduce(younger, youngest);
  return {
    fresh: events.filter(({ id }) => !seen.has(id)).reverse(),
    window: {
      // Only a complete walk proves that nothing was missed.
      fromMs: isWhole && next ? Math.max(fromMs ?? 0, presentAt(next, beganMs) - OVERLAP_MS) : fromMs,
      // The window never grows backwards: events that a complete walk did not see do not exist.
      seen: new Set(isWhole ? ids : [...seen, ...ids]),
      youngest: next,
    },
  };
}

type Meeting = EventWindow["youngest"];

function meet(event: ScripEvent, metMs: number): Meeting {
  const createdMs = Date.parse(event.created_at);
  return Number.isNaN(createdMs) ? undefined : { createdMs, metMs };
}

const younger = (one: Meeting, other: Meeting): Meeting =>
  !one || (other && presentAt(other, one.metMs) > one.createdMs) ? other : one;

/**
 * A lower bound of the API's clock at a time of ours: when an event was seen, its time had passed there. So the two clocks do
 * not have to agree.
 */
const presentAt = ({ createdMs, metMs }: NonNullable<Meeting>, atMs: number): number =>
  createdMs + (atMs - metMs);
