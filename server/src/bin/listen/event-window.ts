import type { ScripEvent } from "@scrip/sdk";

/** What of the API's events is looked at, and what of it is known already. */
export type EventWindow = {
  /** Where it begins, by the API's clock; undefined when there was no event yet. */
  fromMs: number | undefined;
  /** Every event that the next walk can meet again. */
  seen: ReadonlySet<string>;
  /** The youngest event: when it was made, by the API's clock, and when it was met, by ours. */
  youngest: { createdMs: number; metMs: number } | undefined;
};

/** Events as the API lists them, newest first. */
export type Walk = {
  events: readonly ScripEvent[];
  /** Whether it went on to the beginning of the window. */
  isWhole: boolean;
  beganMs: number;
  endedMs: number;
};

/**
 * An event has its time before its transaction commits, so a younger one may be seen first. This far behind the present the
 * window begins, to find those that come late.
 */
export const OVERLAP_MS = 60_000;

export const openWindow = (fromMs: number | undefined): EventWindow => ({
  fromMs,
  seen: new Set(),
  youngest: undefined,
});

/** Takes in a walk: which of its events are new, in the order of their creation, and the window of the next one. */
export function advanceWindow(
  { fromMs, seen, youngest }: EventWindow,
  { events, isWhole, beganMs, endedMs }: Walk,
): { window: EventWindow; fresh: ScripEvent[] } {
  const ids = events.map(({ id }) => id);
  const next = events.map((event) => meet(event, endedMs)).reduce(younger, youngest);
  return {
    fresh: events.filter(({ id }) => !seen.has(id)).reverse(),
    window: {
      // Only after a whole walk is it known that nothing is left behind.
      fromMs: isWhole && next ? Math.max(fromMs ?? 0, presentAt(next, beganMs) - OVERLAP_MS) : fromMs,
      // The window never grows backwards: what a whole walk did not meet, none will.
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
 * What the API's clock shows at least at a moment of ours: when an event was met its time had come there. So nothing depends
 * on the two clocks agreeing.
 */
const presentAt = ({ createdMs, metMs }: NonNullable<Meeting>, atMs: number): number =>
  createdMs + (atMs - metMs);
