import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScripEvent } from "@scrip/sdk";
import { advanceWindow, type EventWindow, OVERLAP_MS, openWindow, type Walk } from "./event-window.ts";

/** An event of a moment of the API's clock. */
const event = (id: string, createdMs: number): ScripEvent => ({
  id,
  type: "order.fulfilled",
  created_at: new Date(createdMs).toISOString(),
  data: { order_id: `ord_${id}`, status: "fulfilled" },
});

const API_NOW = Date.UTC(2030, 0, 31, 12);
const walk = (events: ScripEvent[], changes: Partial<Walk> = {}): Walk => ({
  events,
  isWhole: true,
  beganMs: 1_000,
  endedMs: 1_200,
  ...changes,
});
const take = (window: EventWindow, ...walks: Walk[]) => {
  let fresh: string[] = [];
  let next = window;
  for (const one of walks) {
    const advanced = advanceWindow(next, one);
    next = advanced.window;
    fresh = advanced.fresh.map(({ id }) => id);
  }
  return { window: next, fresh: fresh.join("") };
};

const [a, b, c] = [event("a", API_NOW), event("b", API_NOW + 5), event("c", API_NOW + 10)];

const FRESH: [string, Walk[], string][] = [
  ["nothing is nothing", [walk([])], ""],
  ["the list is turned round", [walk([c, b, a])], "abc"],
  ["what was seen is not new again", [walk([b, a]), walk([c, b, a])], "c"],
  ["one that came late, below younger ones, is new", [walk([c, a]), walk([c, b, a])], "b"],
  [
    "a walk that ended early forgets nothing",
    [walk([b, a]), walk([c], { isWhole: false }), walk([c, b, a])],
    "",
  ],
  [
    "what is gone, and is not met by a whole walk, is forgotten",
    [walk([b, a]), walk([b]), walk([b, a])],
    "a",
  ],
];
for (const [what, walks, expected] of FRESH) {
  test(`which events are new: ${what}`, () => assert.equal(take(openWindow(0), ...walks).fresh, expected));
}

const fromAfter = (window: EventWindow, ...walks: Walk[]) => take(window, ...walks).window.fromMs;

test("the window starts a minute before the API's current time, as far as its events show it", () => {
  // The youngest was met at 1,200 of our clock, and the walk began 200 before.
  assert.equal(fromAfter(openWindow(0), walk([c, b, a])), API_NOW + 10 - 200 - OVERLAP_MS);
});

test("the window moves with time while nothing happens", () => {
  const idle = walk([c], { beganMs: 31_200, endedMs: 31_300 });
  const empty = walk([], { beganMs: 91_200, endedMs: 91_300 });
  assert.equal(fromAfter(openWindow(0), walk([c]), idle), API_NOW + 10 + 30_000 - OVERLAP_MS);
  assert.equal(fromAfter(openWindow(0), walk([c]), idle, empty), API_NOW + 10 + 90_000 - OVERLAP_MS);
});

test("a walk that ended early does not move the window, because older events might remain", () => {
  assert.equal(
    fromAfter(openWindow(7), walk([c], { isWhole: false, beganMs: 900_000, endedMs: 900_100 })),
    7,
  );
});

test("the window never moves back: not before --since, and not for a late event", () => {
  assert.equal(fromAfter(openWindow(API_NOW + 9), walk([c])), API_NOW + 9);
  const first = fromAfter(openWindow(0), walk([c])) ?? 0;
  const late = event("l", API_NOW - 50_000);
  assert.ok((fromAfter(openWindow(0), walk([c]), walk([c, late])) ?? 0) >= first);
});

test("without any event there is no start, and an unreadable time is ignored", () => {
  assert.equal(fromAfter(openWindow(undefined), walk([])), undefined);
  assert.equal(fromAfter(openWindow(undefined), walk([{ ...a, created_at: "soon" }])), undefined);
});
