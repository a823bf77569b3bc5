import assert from "node:assert/strict";
import { test } from "node:test";
import { planProcesses } from "./plan-processes.ts";

const GB = 1024 ** 3;
const machine = (cores: number, memoryBytes = 64 * GB) => ({ cores, memoryBytes });

test("by default one core is left to others, and one or two cores run one process", () => {
  for (const cores of [1, 2]) assert.equal(planProcesses("all", 0, machine(cores)), "one");
  assert.deepEqual(planProcesses("all", 0, machine(4)), { http: 3, workers: 1 });
  assert.deepEqual(planProcesses("api", 0, machine(4)), { http: 3, workers: 0 });
  assert.equal(planProcesses("worker", 0, machine(64)), "one");
});

test("the default is bounded, and by memory too", () => {
  assert.deepEqual(planProcesses("all", 0, machine(64)), { http: 8, workers: 2 });
  assert.deepEqual(planProcesses("all", 0, machine(64, 1 * GB)), { http: 2, workers: 1 });
  assert.equal(planProcesses("all", 0, machine(64, GB / 4)), "one");
});

test("a given number counts on every machine", () => {
  assert.equal(planProcesses("all", 1, machine(64)), "one");
  assert.deepEqual(planProcesses("all", 2, machine(1, 0)), { http: 2, workers: 1 });
  assert.deepEqual(planProcesses("api", 9, machine(2)), { http: 9, workers: 0 });
  assert.deepEqual(planProcesses("worker", 3, machine(2)), { http: 0, workers: 3 });
});
