import type { FuzzReport } from "../server/testing/fuzz/fuzz-run.ts";
import type { FuzzResult } from "../server/testing/fuzz/fuzz-session.ts";

const PROGRESS_EVERY_MS = 5_000;
const CLASSES = ["2xx", "3xx", "4xx", "5xx"];

/** A line every few seconds with progress and rate. A fault is printed at once. */
export function printProgress(requests: number): (report: FuzzReport, residentMb: () => number) => void {
  let lastMs = performance.now();
  let lastRounds = 0;
  let told = 0;
  return ({ rounds, faults, seed }, residentMb) => {
    for (const fault of faults.slice(told)) printFault(seed, fault);
    told = faults.length;
    const nowMs = performance.now();
    if (nowMs - lastMs < PROGRESS_EVERY_MS) return;
    const perSecond = Math.round(((rounds - lastRounds) / (nowMs - lastMs)) * 1_000);
    console.log(`${rounds} of ${requests} sent, ${perSecond}/s, ${residentMb()} MB, ${faults.length} faults`);
    [lastMs, lastRounds] = [nowMs, rounds];
  };
}

export function printReport(result: FuzzResult): void {
  for (const text of result.shown) console.log(text);
  const { answers, slowest, faults, seed, sent, rounds, seconds, heap } = result;
  const rows = [...answers].sort(([a], [b]) => (a < b ? -1 : 1));
  console.log(`\n| operation | ${CLASSES.join(" | ")} |\n|---|${CLASSES.map(() => "--:|").join("")}`);
  for (const [operation, classes] of rows)
    console.log(`| ${operation} | ${CLASSES.map((name) => classes.get(name) ?? 0).join(" | ")} |`);
  console.log(`\n${sent} requests in ${rounds} rounds and ${Math.round(seconds)} s, seed ${seed}`);
  for (const { ms, index, what } of slowest)
    console.log(`slow: ${Math.round(ms)} ms, request ${index} (${what})`);
  const change = heap.isFlat ? "flat" : `grew by ${heap.grownMb} MB`;
  console.log(`heap of the server after garbage collection, in MB: ${heap.samplesMb.join(", ")}: ${change}`);
  console.log(`memory of the server at the end: ${result.residentMb} MB`);
  for (const fault of faults.filter(({ index }) => index < 0)) printFault(seed, fault);
  console.log(`faults found: ${faults.length}`);
}

function printFault(seed: number, { index, what, message }: FuzzReport["faults"][number]): void {
  const replay = index < 0 ? "" : `request ${index}, again with --seed ${seed} --only ${index}: `;
  console.log(`\nFAULT ${replay}${message}\n${what}\n`);
}
