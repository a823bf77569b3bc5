import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createBatcher } from "./batch.ts";

/** A batcher whose runs block until the test ends them. */
function createHeldBatcher(options: { maxSize?: number; maxRunning?: number } = {}) {
  const runs: {
    inputs: readonly string[];
    end: (outputs?: readonly string[]) => void;
    fail: (error: Error) => void;
  }[] = [];
  const call = createBatcher<string, string>({
    maxSize: options.maxSize ?? 100,
    maxRunning: options.maxRunning ?? 2,
    run: (inputs) =>
      new Promise((resolve, reject) => {
        const end = (outputs: readonly string[] = inputs.map((input) => input.toUpperCase())) =>
          resolve(outputs);
        runs.push({ inputs, end, fail: reject });
      }),
  });
  return { runs, call, inputs: () => runs.map((run) => run.inputs) };
}

test("calls in the same turn share a run, and each gets its own output", async () => {
  const { call, runs, inputs } = createHeldBatcher();
  const outputs = Promise.all(["a", "b", "a"].map(call));
  await nextTurn();
  assert.deepEqual(inputs(), [["a", "b", "a"]]);
  runs[0]?.end();
  assert.deepEqual(await outputs, ["A", "B", "A"]);
});

test("a call never joins a run that has started, even for the same input", async () => {
  const { call, runs, inputs } = createHeldBatcher();
  const first = call("a");
  await nextTurn();
  const second = call("a");
  await nextTurn();
  assert.deepEqual(inputs(), [["a"], ["a"]]);
  runs[0]?.end(["old"]);
  runs[1]?.end(["new"]);
  assert.deepEqual(await Promise.all([first, second]), ["old", "new"]);
});

test("a run takes the calls that were already waiting; calls made while it starts go to the next run", async () => {
  const seen: string[][] = [];
  const call: (input: string) => Promise<string> = createBatcher<string, string>({
    maxSize: 100,
    maxRunning: 2,
    run: async (inputs) => {
      seen.push([...inputs]);
      if (inputs.includes("outer")) inner = call("inner");
      return inputs;
    },
  });
  let inner: Promise<string> | undefined;
  await call("outer");
  await inner;
  assert.deepEqual(seen, [["outer"], ["inner"]]);
});

test("at most maxRunning runs are in progress, and waiting calls go into one run", async () => {
  const { call, runs, inputs } = createHeldBatcher({ maxRunning: 2 });
  const calls: Promise<string>[] = [];
  for (const input of ["a", "b", "c", "d"]) {
    calls.push(call(input));
    await nextTurn();
  }
  assert.deepEqual(inputs(), [["a"], ["b"]]);
  runs[1]?.end();
  await calls[1];
  await nextTurn();
  assert.deepEqual(inputs(), [["a"], ["b"], ["c", "d"]]);
  runs[0]?.end();
  runs[2]?.end();
  assert.deepEqual(await Promise.all(calls), ["A", "B", "C", "D"]);
});

test("a run takes at most maxSize calls, in call order", async () => {
  const { call, runs, inputs } = createHeldBatcher({ maxSize: 2, maxRunning: 2 });
  const outputs = Promise.all(["a", "b", "c", "d", "e"].map(call));
  await nextTurn();
  await nextTurn();
  assert.deepEqual(inputs(), [
    ["a", "b"],
    ["c", "d"],
  ]);
  for (const run of runs) run.end();
  await nextTurn();
  await nextTurn();
  runs[2]?.end();
  assert.deepEqual(await outputs, ["A", "B", "C", "D", "E"]);
  assert.deepEqual(inputs()[2], ["e"]);
});

test("an error rejects only the calls of its own run, and the next run proceeds", async () => {
  const { call, runs } = createHeldBatcher({ maxRunning: 1 });
  const failing = [call("a"), call("b")];
  await nextTurn();
  const waiting = call("c");
  runs[0]?.fail(new Error("gone"));
  const outcomes = await Promise.allSettled(failing);
  for (const outcome of outcomes)
    assert.equal(outcome.status === "rejected" && outcome.reason.message, "gone");
  await nextTurn();
  runs[1]?.end();
  assert.equal(await waiting, "C");
});

test("a run that throws synchronously rejects its calls", async () => {
  const call = createBatcher<string, string>({
    maxSize: 10,
    maxRunning: 1,
    run: () => {
      throw new Error("at once");
    },
  });
  await assert.rejects(call("a"), /at once/);
  await assert.rejects(call("b"), /at once/);
});

/** A batcher whose runs the test lets go on and ends. */
function createPatientBatcher(patienceMs: number) {
  const runs: { inputs: readonly string[]; letNext: () => void; end: () => void }[] = [];
  const call = createBatcher<string, string>({
    maxSize: 100,
    maxRunning: 2,
    patienceMs,
    run: (inputs, letNext) =>
      new Promise((resolve) => {
        runs.push({ inputs, letNext, end: () => resolve(inputs) });
      }),
  });
  return { call, runs, inputs: () => runs.map((run) => run.inputs) };
}

test("with patience a run starts once the one before lets it or has ended, with all that wait by then", async () => {
  const { call, runs, inputs } = createPatientBatcher(60_000);
  const calls: Promise<string>[] = [];
  for (const input of ["a", "b", "c"]) {
    calls.push(call(input));
    await nextTurn();
  }
  assert.deepEqual(inputs(), [["a"]]);
  runs[0]?.letNext();
  await nextTurn();
  assert.deepEqual(inputs(), [["a"], ["b", "c"]]);
  calls.push(call("d"));
  // Only the last one is waited for, and it has not let anything start.
  runs[0]?.letNext();
  runs[0]?.end();
  await calls[0];
  await nextTurn();
  assert.deepEqual(inputs(), [["a"], ["b", "c"]]);
  runs[1]?.end();
  await calls[1];
  await nextTurn();
  assert.deepEqual(inputs(), [["a"], ["b", "c"], ["d"]]);
  runs[2]?.end();
  assert.deepEqual(await Promise.all(calls), ["a", "b", "c", "d"]);
});

test("a run that takes too long does not hold up the next one", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { call, runs, inputs } = createPatientBatcher(100);
  const calls = [call("a")];
  await nextTurn();
  calls.push(call("b"));
  t.mock.timers.tick(99);
  await nextTurn();
  assert.deepEqual(inputs(), [["a"]]);
  t.mock.timers.tick(1);
  await nextTurn();
  assert.deepEqual(inputs(), [["a"], ["b"]]);
  for (const run of runs) run.end();
  assert.deepEqual(await Promise.all(calls), ["a", "b"]);
});
