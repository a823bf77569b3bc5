import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { finished } from "node:stream/promises";
import { test } from "node:test";
import { Counter, Gauge, Histogram } from "prom-client";
import { createMetrics } from "../../http/metrics.ts";
import type { Measured } from "./messages.ts";
import { passLines } from "./pass-lines.ts";
import { createMetricSums } from "./sum-metrics.ts";

/** The figures of a process, as they arrive over its line. */
async function measured(count: number, waiting: number): Promise<Measured> {
  const { registry, requestLatencies } = createMetrics();
  const registers = [registry];
  new Counter({ name: "scrip_ended_total", help: "h", labelNames: ["how"], registers }).inc(
    { how: "well" },
    count,
  );
  new Gauge({ name: "scrip_waiting", help: "h", aggregator: "max", registers }).set(waiting);
  const seconds = new Histogram({ name: "scrip_seconds", help: "h", buckets: [1, 2], registers });
  for (let one = 0; one < count; one += 1) seconds.observe(1.5);
  const observe = requestLatencies.forRoute("GET", "/v1/catalog");
  for (let one = 0; one < count; one += 1) observe(200, 3);
  return JSON.parse(JSON.stringify(await registry.getMetricsAsJSON())) as Measured;
}

const figureOf = (text: string, series: string): number | undefined => {
  const line = text.split("\n").find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
};

test("counters and histograms are added, gauges are not, and what a dead process counted stays", async () => {
  const sums = createMetricSums();
  sums.keep("http-1", await measured(3, 7));
  sums.keep("http-2", await measured(4, 9));
  const ended = 'scrip_ended_total{how="well"}';
  const requests = 'scrip_http_request_duration_seconds_count{method="GET",route="/v1/catalog",status="200"}';
  const all = await sums.print(new Set(["http-1", "http-2"]));
  assert.equal(figureOf(all, ended), 7);
  assert.equal(figureOf(all, requests), 7);
  assert.equal(figureOf(all, 'scrip_seconds_bucket{le="2"}'), 7);
  assert.equal(figureOf(all, 'scrip_seconds_bucket{le="1"}'), 0);
  assert.equal(figureOf(all, "scrip_waiting"), 9);
  assert.equal(all.match(/# TYPE scrip_ended_total counter/g)?.length, 1);

  sums.retire("http-2");
  sums.keep("http-2", await measured(1, 2));
  const later = await sums.print(new Set(["http-2"]));
  assert.equal(figureOf(later, ended), 8);
  assert.equal(figureOf(later, requests), 8);
  assert.equal(figureOf(later, "scrip_waiting"), 2, "the gauge of a silent process does not count");
  sums.retire("http-2");
  sums.retire("http-2");
  assert.equal(figureOf(await sums.print(new Set()), requests), 8);
});

test("lines of several processes are passed on whole", async () => {
  const passed: string[] = [];
  const [first, second] = [new PassThrough(), new PassThrough()];
  for (const stream of [first, second]) passLines(stream, { write: (text) => void passed.push(text) });
  const ended = [first, second].map((stream) => finished(stream));
  first.write('{"a":');
  second.write('{"b":1}\n{"b":');
  first.write("1}\n");
  second.end("2}\n");
  first.end("no line break");
  await Promise.all(ended);
  const lines = passed.join("").split("\n");
  assert.deepEqual(lines.sort(), ["", "no line break", '{"a":1}', '{"b":1}', '{"b":2}']);
});
