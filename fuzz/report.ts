import type { FuzzReport } from "../server/testing/fuzz/fuzz-run.ts";
import type { FuzzResult, SurfaceReport } from "../server/testing/fuzz/fuzz-session.ts";
import { HEAP_SAMPLES_MIN } from "../server/testing/fuzz/heap-watch.ts";

const PROGRESS_EVERY_MS = 5_000;
const CLASSES = ["2xx", "3xx", "4xx", "5xx"];

/** A line every few seconds with progress and rate. A fault is printed at once. */
export function printProgress(): (report: FuzzReport, requests: number, residentMb: number) => void {
  let lastMs = performance.now();
  let last = { rounds: 0, faults: 0 };
  return ({ rounds, faults, seed }, requests, residentMb) => {
    // The next surface counts from the beginning.
    if (rounds < last.rounds) last = { rounds: 0, faults: 0 };
    for (const fault of faults.slice(last.faults)) printFault(seed, fault);
    last.faults = faults.length;
    const nowMs = performance.now();
    if (nowMs - lastMs < PROGRESS_EVERY_MS) return;
    const perSecond = Math.round(((rounds - last.rounds) / (nowMs - lastMs)) * 1_000);
    console.log(`${rounds} of ${requests} sent, ${perSecond}/s, ${residentMb} MB, ${faults.length} faults`);
    lastMs = nowMs;
    last.rounds = rounds;
  };
}

/** Prints what was found. Returns whether no promise was broken. */
export function printResult({ reports, faults, residentMb }: FuzzResult): boolean {
  for (const report of reports) printReport(report);
  console.log(`memory of the server at the end: ${residentMb} MB`);
  for (const message of faults) console.log(`\nFAULT ${message}`);
  const found = reports.reduce((sum, report) => sum + report.faults.length, faults.length);
  console.log(`faults found: ${found}`);
  return found === 0;
}

function printReport({ shown, answers, slowest, faults, heap, ...report }: SurfaceReport): void {
  for (const text of shown) console.log(text);
  const rows = [...answers].sort(([a], [b]) => (a < b ? -1 : 1));
  console.log(`\n| ${report.surface} | ${CLASSES.join(" | ")} |\n|---|${CLASSES.map(() => "--:|").join("")}`);
  for (const [operation, classes] of rows)
    console.log(`| ${operation} | ${CLASSES.map((name) => classes.get(name) ?? 0).join(" | ")} |`);
  const { sent, rounds, seconds, seed } = report;
  console.log(`\n${sent} requests in ${rounds} rounds and ${Math.round(seconds)} s, seed ${seed}`);
  if (report.busy > 0) console.log(`too busy, and asked again: ${report.busy} times`);
  for (const { ms, index, what } of slowest)
    console.log(`slow: ${Math.round(ms)} ms, request ${index} (${what})`);
  const known = heap.isFlat ? "flat" : `grew by ${heap.grownMb} MB`;
  const change = heap.samplesMb.length < HEAP_SAMPLES_MIN ? "too few samples to say" : known;
  console.log(`heap of the server after garbage collection, in MB: ${heap.samplesMb.join(", ")}: ${change}`);
  for (const fault of faults.filter(({ index }) => index < 0)) printFault(seed, fault);
}

function printFault(seed: number, { index, what, message }: FuzzReport["faults"][number]): void {
  const replay = index < 0 ? "" : `request ${index} of --seed ${seed}: `;
  console.log(`\nFAULT ${replay}${message}\n${what}\n`);
}
