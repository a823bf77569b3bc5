import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { type LoopOptions, runLoop } from "./run-loop.ts";

const POLL_MS = 1_000;
/** Pauses are up to a fifth longer, at random. */
const JITTER = 1.2;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
});

/** Runs everything that does not wait for a timer. */
const settle = async () => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
};
const pass = async (ms: number) => {
  mock.timers.tick(ms);
  await settle();
};

/** A loop whose steps end when the test says so. */
function startLoop() {
  const errors: unknown[] = [];
  const steps: { end: (more: boolean) => void; fail: (error: Error) => void }[] = [];
  const step: LoopOptions["step"] = () =>
    new Promise((resolve, reject) => {
      steps.push({ end: resolve, fail: reject });
    });
  const loop = runLoop({ step, pollMs: POLL_MS, onError: (error) => void errors.push(error) });
  return {
    loop,
    errors,
    steps: () => steps.length,
    async end(more: boolean) {
      steps.at(-1)?.end(more);
      await settle();
    },
    async fail() {
      steps.at(-1)?.fail(new Error(`step ${steps.length}`));
      await settle();
    },
  };
}

test("it runs a step at once, and again after each pause", async () => {
  const { steps, end } = startLoop();
  assert.equal(steps(), 1);
  for (let step = 1; step < 5; step += 1) {
    await end(false);
    await pass(POLL_MS - 1);
    assert.equal(steps(), step);
    await pass(POLL_MS * JITTER - POLL_MS + 1);
    assert.equal(steps(), step + 1);
  }
});

test("while there is more to do it runs without a pause", async () => {
  const { steps, end } = startLoop();
  for (let step = 1; step < 5; step += 1) {
    assert.equal(steps(), step);
    await end(true);
  }
});

test("one step ends before the next starts, however often it is woken", async () => {
  const { loop, steps, end } = startLoop();
  for (let wake = 0; wake < 3; wake += 1) loop.wake();
  await pass(POLL_MS * 10);
  assert.equal(steps(), 1);
  await end(false);
  assert.equal(steps(), 2);
});

test("waking ends a pause", async () => {
  const { loop, steps, end } = startLoop();
  await end(false);
  loop.wake();
  await settle();
  assert.equal(steps(), 2);
});

test("a wake during a step is not lost and counts once", async () => {
  const { loop, steps, end } = startLoop();
  loop.wake();
  await end(false);
  assert.equal(steps(), 2);
  await end(false);
  assert.equal(steps(), 2);
});

test("a wake during a failing step is followed by another step", async () => {
  const { loop, steps, fail } = startLoop();
  loop.wake();
  await fail();
  await pass(100 * JITTER);
  assert.equal(steps(), 2);
});

test("after errors the pauses grow, regardless of wakes, and end after a successful step", async () => {
  const { loop, steps, fail, end, errors } = startLoop();
  for (const pauseMs of [100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]) {
    const before = steps();
    await fail();
    loop.wake();
    await pass(pauseMs - 1);
    assert.equal(steps(), before, `${pauseMs} ms`);
    await pass(pauseMs * JITTER - pauseMs + 1);
    assert.equal(steps(), before + 1, `${pauseMs} ms`);
  }
  assert.equal(errors.length, 8);
  assert.match(String(errors[0]), /step 1/);
  const before = steps();
  await end(false);
  loop.wake();
  await settle();
  assert.equal(steps(), before + 1);
  await fail();
  await pass(100 * JITTER);
  assert.equal(steps(), before + 2, "the first pause is short again");
});

test("a step that throws synchronously is an error like any other", async () => {
  const errors: unknown[] = [];
  const step = () => {
    throw new Error("at once");
  };
  const loop = runLoop({ step, pollMs: POLL_MS, onError: (error) => void errors.push(error) });
  await settle();
  assert.equal(errors.length, 1);
  await loop.stop();
});

test("stop waits for the running step and starts no other", async () => {
  const { loop, steps, end } = startLoop();
  let stopped = false;
  const stopping = loop.stop().then(() => {
    stopped = true;
  });
  loop.wake();
  await pass(POLL_MS * 10);
  assert.equal(stopped, false);
  await end(true);
  await stopping;
  await loop.stop();
  loop.wake();
  await pass(POLL_MS * 10);
  assert.equal(steps(), 1);
});

for (const what of ["a pause", "the pause after an error", "a step that fails"])
  test(`stop ends ${what}`, async () => {
    const { loop, steps, end, fail } = startLoop();
    if (what === "a pause") await end(false);
    if (what === "the pause after an error") await fail();
    const stopping = loop.stop();
    if (what === "a step that fails") await fail();
    await stopping;
    assert.equal(steps(), 1);
  });
