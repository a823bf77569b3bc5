import assert from "node:assert/strict";
import { test } from "node:test";
import { createLaneWidths } from "./lane-widths.ts";
import { DELIVERY_LIMITS } from "./limits.ts";

const { laneFirst, laneMax } = DELIVERY_LIMITS;

test("a lane starts with its first width, success widens it to the maximum, each failing batch halves it down to one", () => {
  const widths = createLaneWidths(DELIVERY_LIMITS);
  assert.equal(widths.of("a"), laneFirst);
  widths.adjust("a", 3, 0);
  assert.equal(widths.of("a"), laneFirst + 3);
  widths.adjust("a", 1_000, 0);
  assert.equal(widths.of("a"), laneMax);
  widths.adjust("a", 5, 1);
  assert.equal(widths.of("a"), laneMax / 2);
  for (let go = 0; go < 20; go += 1) widths.adjust("a", 0, 1);
  assert.equal(widths.of("a"), 1);
  widths.adjust("a", 1, 0);
  assert.equal(widths.of("a"), 2);
});

test("each lane has its own width", () => {
  const widths = createLaneWidths(DELIVERY_LIMITS);
  widths.adjust("a", 0, 1);
  assert.equal(widths.of("b"), laneFirst);
});

test("only so many endpoints are remembered: the least recently used are forgotten", () => {
  const widths = createLaneWidths(DELIVERY_LIMITS);
  widths.adjust("early", 0, 1);
  widths.adjust("kept", 0, 1);
  for (let index = 0; index < 9_998; index += 1) widths.adjust(`endpoint-${index}`, 1, 0);
  widths.adjust("kept", 0, 1);
  widths.adjust("one more", 1, 0);
  assert.equal(widths.of("early"), laneFirst);
  assert.equal(widths.of("kept"), laneFirst / 4);
});
