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

/** An announcer on a clock of the test's own, and when it told what. */
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

test("the first is told at once, on its channel", () => {
  const { announce, told, pass } = startAnnouncing();
  announce();
  assert.deepEqual(told, [{ atMs: 0, values: ["some_channel"] }]);
  pass(1_000);
  assert.equal(told.length, 1);
});

test("of many at once the first and one for all others are told", () => {
  const { announce, times, pass } = startAnnouncing();
  for (let one = 0; one < 1_000; one += 1) announce();
  pass(1_000);
  assert.deepEqual(times(), [0, EVERY_MS]);
});

test("one that comes after a pause is told at once again", () => {
  const { announce, times, pass } = startAnnouncing();
  announce();
  pass(EVERY_MS);
  announce();
  pass(5 * EVERY_MS);
  announce();
  assert.deepEqual(times(), [0, EVERY_MS, 6 * EVERY_MS]);
});

test("one that could not be told does not keep the next from being told", async () => {
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

test(`whenever there is something to tell it is told soon after, and never too often (SEED=${SEED})`, () => {
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
        `what came at ${atMs} was told at none of ${times()}`,
      );
    for (const [index, atMs] of times().entries())
      assert.ok(index === 0 || atMs - (times()[index - 1] ?? 0) >= EVERY_MS, `${times()}`);
    assert.ok(times().length <= calls.length);
  }
});
