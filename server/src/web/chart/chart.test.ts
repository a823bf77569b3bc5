import assert from "node:assert/strict";
import { test } from "node:test";
import { renderHtml } from "../template/html.ts";
import { dayChart } from "./day-chart.ts";
import { niceScale } from "./nice-scale.ts";

test("an axis ends at a round number, in two or three steps, and counts have no halves", () => {
  const cases: readonly (readonly [number, readonly number[]])[] = [
    [0, [0, 1]],
    [1, [0, 1]],
    [2, [0, 1, 2]],
    [7, [0, 5, 10]],
    [290, [0, 100, 200, 300]],
    [880, [0, 500, 1_000]],
    [1_000, [0, 400, 800, 1_200]],
    [Number.NaN, [0, 1]],
  ];
  for (const [largest, ticks] of cases) assert.deepEqual(niceScale(largest).ticks, ticks, String(largest));
});

const days = [3, 0, 12].map((value, index) => ({
  day: new Date(Date.UTC(2026, 10, 13 + index)),
  values: [value, 1],
  isPartial: index === 2,
}));

test("a chart has a name, a tip for each day and a table of the same numbers", () => {
  for (const kind of ["bars", "line"] as const) {
    const series = [
      { name: "Completed <b>", tone: "accent" as const },
      { name: "Refunded", tone: "bad" as const },
    ];
    const markup = renderHtml(dayChart({ title: "Orders by day", kind, series, days }));
    assert.match(
      markup,
      /aria-label="Orders by day, 13 Nov to 15 Nov: Completed &lt;b&gt; between 0 and 12; Refunded between 1 and 1/,
    );
    assert.match(markup, /<title>15 Nov, so far: Completed &lt;b&gt; 12, Refunded 1<\/title>/);
    assert.match(markup, /<th scope="row">13 Nov<\/th><td class="num">3<\/td><td class="num">1<\/td>/);
    assert.equal(markup.includes("style="), false);
    assert.equal(/NaN|Infinity|undefined/.test(markup), false);
  }
});

test("no days and nothing but zeros are charts too", () => {
  const series = [{ name: "Orders", tone: "accent" as const }];
  assert.match(renderHtml(dayChart({ title: "x", kind: "bars", series, days: [] })), /No days to show/);
  const zeros = days.map((day) => ({ ...day, values: [0] }));
  assert.equal(
    renderHtml(dayChart({ title: "x", kind: "line", series, days: zeros })).includes("NaN"),
    false,
  );
});
