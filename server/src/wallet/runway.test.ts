import assert from "node:assert/strict";
import { test } from "node:test";
import { runwayOf } from "./runway.ts";
import type { WalletDay } from "./sum-days.ts";

const NOON = new Date("2030-01-08T12:00:00Z");
const spent = (...amounts: bigint[]): WalletDay[] =>
  amounts.map((spentMinor, index) => ({
    ...{ day: new Date(Date.UTC(2030, 0, 9 - amounts.length + index)), orders: 1, refunds: 0, spentMinor },
    ...{ depositedMinor: 0n, adjustedMinor: 0n, openingMinor: 0n, closingMinor: 0n },
  }));

test("a balance lasts as long as this week's spending says, today counted as far as it has come", () => {
  const week = spent(9_999n, 100n, 100n, 100n, 100n, 100n, 100n, 50n);
  assert.deepEqual(runwayOf(1_000n, week, NOON), { spentMinor: 650n, days: 10 });
  assert.equal(runwayOf(99n, week, NOON).days, 0);
  assert.equal(runwayOf(9_007_199_254_740_991n, week, NOON).days, 999);
});

test("a week in which nothing was spent, or more came back, says nothing about the days left", () => {
  assert.equal(runwayOf(1_000n, spent(0n, 0n), NOON).days, undefined);
  assert.deepEqual(runwayOf(1_000n, spent(10n, -30n), NOON), { spentMinor: -20n, days: undefined });
  assert.equal(runwayOf(1_000n, spent(0n, 100n), new Date("2030-01-08T00:00:00Z")).days, 10);
});
