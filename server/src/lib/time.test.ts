import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTime } from "./time.ts";

test("a time is parsed to the millisecond, in any time zone and letter case", () => {
  assert.equal(parseTime("2030-01-31T12:00:00Z")?.toISOString(), "2030-01-31T12:00:00.000Z");
  assert.equal(parseTime("2030-01-31t12:00:00.25z")?.toISOString(), "2030-01-31T12:00:00.250Z");
  assert.equal(parseTime("2030-01-31T12:00:00.123+05:30")?.toISOString(), "2030-01-31T06:30:00.123Z");
  assert.equal(parseTime("2028-02-29T23:59:59-00:00")?.toISOString(), "2028-02-29T23:59:59.000Z");
});

test("fractions of a millisecond are rounded up", () => {
  assert.equal(parseTime("2030-01-31T12:00:00.000001Z")?.toISOString(), "2030-01-31T12:00:00.001Z");
  assert.equal(parseTime("2030-01-31T12:00:00.000000Z")?.toISOString(), "2030-01-31T12:00:00.000Z");
});

test("text that is not a time, or not a date in the calendar, is refused", () => {
  for (const text of [
    "",
    "2030-01-31",
    "31.01.2030",
    "2030-01-31 12:00:00Z",
    "2030-01-31T12:00:00",
    "2030-01-31T12:00Z",
    "2030-02-31T12:00:00Z",
    "2029-02-29T12:00:00Z",
    "2030-13-01T12:00:00Z",
    "2030-01-31T24:00:00Z",
    "2030-01-31T12:60:00Z",
    "2030-01-31T12:00:60Z",
    "2030-01-31T12:00:00+25:00",
    "+002030-01-31T12:00:00Z",
    "1893456000",
    "2030-01-31T12:00:00Z ",
  ]) {
    assert.equal(parseTime(text), undefined, text);
  }
});
