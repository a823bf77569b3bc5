import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { REAL_TIMING } from "./timing.ts";

const FOR_EVER_MS = 2 ** 31 - 1;

test("a pause ends when its time is up, and leaves no listener on the signal", async () => {
  const { signal } = new AbortController();
  await REAL_TIMING.wait(1, signal);
  await REAL_TIMING.wait(1);
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

test("a pause ends at once when it is aborted, before or during it", async () => {
  await REAL_TIMING.wait(FOR_EVER_MS, AbortSignal.abort());
  const controller = new AbortController();
  const pause = REAL_TIMING.wait(FOR_EVER_MS, controller.signal);
  controller.abort();
  await pause;
  assert.deepEqual(getEventListeners(controller.signal, "abort"), []);
});

test("the clock goes forward, and random numbers are from 0 to below 1", () => {
  const before = REAL_TIMING.now();
  assert.ok(REAL_TIMING.now() >= before);
  for (let draw = 0; draw < 100; draw += 1) {
    const chance = REAL_TIMING.random();
    assert.ok(chance >= 0 && chance < 1);
  }
});
