import assert from "node:assert/strict";
import { test } from "node:test";
import { parseRetryAfter, RETRY_PAUSES_MS, retryPauseMs } from "./retry-schedule.ts";

const HOUR_MS = 3_600_000;

test("the pauses are those of the contract, and after the last attempt there is none", () => {
  const seconds = RETRY_PAUSES_MS.map((_, index) => (retryPauseMs(index + 1, undefined, 0) ?? 0) / 1_000);
  assert.deepEqual(seconds, [10, 60, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
  assert.equal(retryPauseMs(RETRY_PAUSES_MS.length + 1, undefined), undefined);
});

test("jitter lengthens a pause by up to 20 % and never shortens it", () => {
  assert.equal(retryPauseMs(1, undefined, 0), 10_000);
  assert.equal(retryPauseMs(1, undefined, 1), 12_000);
  const drawn = Array.from({ length: 1_000 }, () => retryPauseMs(2, undefined) ?? 0);
  assert.ok(drawn.every((ms) => ms >= 60_000 && ms <= 72_000));
  assert.ok(new Set(drawn).size > 500);
});

test("Retry-After lengthens a pause, never shortens it, and delays by at most a day", () => {
  assert.equal(retryPauseMs(1, 30_000, 0), 30_000);
  assert.equal(retryPauseMs(2, 30_000, 0), 60_000);
  assert.equal(retryPauseMs(1, 0, 0), 10_000);
  assert.equal(retryPauseMs(1, 365 * 24 * HOUR_MS, 0), 24 * HOUR_MS);
  assert.equal(retryPauseMs(RETRY_PAUSES_MS.length + 1, 30_000), undefined);
});

test("Retry-After is seconds or a date, and anything else is ignored", () => {
  const now = new Date("2026-03-01T12:00:00Z");
  assert.equal(parseRetryAfter("120", now), 120_000);
  assert.equal(parseRetryAfter(" 120 ", now), 120_000);
  assert.equal(parseRetryAfter("0", now), 0);
  assert.equal(parseRetryAfter("Sun, 01 Mar 2026 12:00:30 GMT", now), 30_000);
  assert.equal(parseRetryAfter("Sun, 01 Mar 2026 11:00:00 GMT", now), 0);
  for (const text of [undefined, "", "soon", "1e99999", "99999999999999999999"])
    assert.equal(parseRetryAfter(text, now), undefined, text);
});
