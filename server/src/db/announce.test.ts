import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { createRandom, SEED } from "../../testing/seed.ts";
import { createAnnouncer } from "./announce.ts";
import type { Db } from "./database.ts";

const EVERY_MS = 20;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

/** An announcer on a test clock, recording when it announced what. */
function startAnnouncing(answer: () => Promise<never[]> = async () => []) {
  const told: { atMs: number; values: unknown[] }[] = [];
  let nowMs = 0;
  const db = {
    rows: ({ values }: { values: unknown[] }) => {
      told.push({ atMs: nowMs, values });
      return answer();
    },
  };
  const announce = createAnnouncer(db as unknown as Db, "some_channel");
  return {
    announce,
    times: () => told.map(({ atMs }) => atMs),
    told,
    now: () => nowMs,
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed += 1) {
        nowMs += 1;
        mock.timers.tick(1);
      }
    },
  };
}

test("the first announcement is sent at once, on its channel", () => {
  const { announce, told, pass } = startAnnouncing();
  announce();
  assert.deepEqual(told, [{ atMs: 0, values: ["some_channel"] }]);
  pass(1_000);
  assert.equal(told.length, 1);
});

test("of many concurrent announcements, the first and one for all others are sent", () => {
  const { announce, times, pass } = startAnnouncing();
  for (let one = 0; one < 1_000; one += 1) announce();
  pass(1_000);
  assert.deepEqual(times(), [0, EVERY_MS]);
});

test("an announcement after a pause is sent at once again", () => {
  const { announce, times, pass } = startAnnouncing();
  announce();
  pass(EVERY_MS);
  announce();
  pass(5 * EVERY_MS);
  announce();
  assert.deepEqual(times(), [0, EVERY_MS, 6 * EVERY_MS]);
});

test("a failed announcement does not block the next one", async () => {
  const { announce, times, pass } = startAnnouncing(() => Promise.reject(new Error("no connection")));
  announce();
  announce();
  await new Promise(setImmediate);
  pass(EVERY_MS);
  await new Promise(setImmediate);
  pass(EVERY_MS);
  announce();
  assert.deepEqual(times(), [0, EVERY_MS, 2 * EVERY_MS]);
  await new Promise(setImmediate);
});

test(`every announcement is sent soon, and never too often (SEED=${SEED})`, () => {
  const random = createRandom(SEED);
  for (let run = 0; run < 100; run += 1) {
    mock.timers.reset();
    mock.timers.enable({ apis: ["setTimeout"] });
    const { announce, times, now, pass } = startAnnouncing();
    const calls: number[] = [];
    for (let call = 0; call < 30; call += 1) {
      pass(random.below(random.chance(0.5) ? 3 : 40));
      announce();
      calls.push(now());
    }
    pass(10 * EVERY_MS);
    for (const atMs of calls)
      assert.ok(
        times().some((toldMs) => toldMs >= atMs && toldMs <= atMs + EVERY_MS),
        `an announcement at ${atMs} was not sent at any of ${times()}`,
      );
    for (const [index, atMs] of times().entries())
      assert.ok(index === 0 || atMs - (times()[index - 1] ?? 0) >= EVERY_MS, `${times()}`);
    assert.ok(times().length <= calls.length);
  }
});
