import assert from "node:assert/strict";
import { test } from "node:test";
import { createPacer } from "./pace.ts";

test("a pause is due after each stretch, and lets others run", async () => {
  let nowMs = 0;
  const pacer = createPacer(() => nowMs, 10);
  const order: string[] = [];
  setImmediate(() => order.push("others"));
  for (let step = 1; step <= 25; step += 1) {
    nowMs += 1;
    if (!pacer.isDue()) continue;
    order.push(`pause at ${step}`);
    await pacer.pause();
  }
  assert.deepEqual(order, ["pause at 10", "others", "pause at 20"]);
});
