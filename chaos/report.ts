import type { ChaosResult } from "./chaos.ts";
import { FAULT_NAMES, type FaultName } from "./faults.ts";
import type { Findings } from "./findings.ts";

/** What is kept of a run: how it was run, what happened, and what was wrong. Several can be added up. */
export type Figures = {
  runs: string[];
  /** By name. The longest time is in seconds. */
  counts: Record<string, number>;
  longestGapSeconds: number;
  findings: Record<string, string[]>;
};

const SHOWN_MAX = 5;

/** More than kills and lost responses explain. */
const REPEATS_MAX_SHARE = 0.1;
const REPEATS_FREE = 50;

export const isFaultless = ({ unended, findings }: ChaosResult): boolean =>
  unended.length === 0 && Object.values(findings).every((found) => found.length === 0);

/** Nothing is wrong, and enough happened for that to mean something. */
export const isClean = (result: ChaosResult): boolean =>
  isFaultless(result) && describeShortcomings(result).length === 0;

/** Why a run without findings would prove little. */
export function describeShortcomings({
  recorder,
  faults,
  events,
  repeatedDeliveries,
}: ChaosResult): string[] {
  const happened: Record<string, number> = {
    faults: [...faults.values()].reduce((sum, count) => sum + count, 0),
    "acknowledged orders": recorder.acknowledged.length,
    reads: recorder.counts.reads,
    payments: recorder.payments.filter(({ acknowledged }) => acknowledged).length,
    refunds: recorder.refunded.size,
    revocations: recorder.counts.revocations,
    events,
  };
  const missing = Object.entries(happened).filter(([, count]) => count === 0);
  return [
    ...missing.map(([what]) => `there were no ${what}`),
    ...(repeatedDeliveries > REPEATS_FREE + events * REPEATS_MAX_SHARE
      ? [`${repeatedDeliveries} deliveries were repeated, more than the faults explain`]
      : []),
  ];
}

export function figuresOf(result: ChaosResult, run: string): Figures {
  const { faults, orders, recorder, findings, jobs } = result;
  const { counts } = recorder;
  const struck = (name: FaultName) => faults.get(name) ?? 0;
  return {
    runs: [run],
    counts: {
      ...Object.fromEntries(FAULT_NAMES.map((name) => [name, struck(name)])),
      "orders acknowledged": recorder.acknowledged.length,
      ...Object.fromEntries([...orders].map(([status, number]) => [`… ${status}`, number])),
      "starts that failed, because the database was away": recorder.refusedStarts.length,
      "responses to placements": counts.answers,
      "tries without a response": counts.lost,
      "orders read back": counts.reads,
      "orders placed by a form of the dashboard": counts.formOrders,
      "pages of dashboard and console": counts.pages,
      payments: recorder.payments.length,
      "… acknowledged": recorder.payments.filter((one) => one.acknowledged).length,
      "refunds by the operator": recorder.refunded.size,
      "keys revoked": counts.revocations,
      "signing secrets rotated": counts.rotations,
      "master keys added": counts.masterKeys,
      "… removed": counts.removedKeys,
      "values sealed again": counts.rewrapped,
      "jobs started": recorder.jobs.length,
      ...Object.fromEntries([...jobs].sort().map(([name, number]) => [`… ${name}`, number])),
      events: result.events,
      "deliveries beyond the first": result.repeatedDeliveries,
    },
    longestGapSeconds: Math.round(recorder.longestGapMs() / 100) / 10,
    findings: {
      ...findings,
      unfinished: result.unended,
      shortcomings: describeShortcomings(result),
    } satisfies Findings & Record<string, string[]>,
  };
}

/** The figures of several runs together. */
export function addFigures(all: readonly Figures[]): Figures {
  const sum: Figures = { runs: [], counts: {}, longestGapSeconds: 0, findings: {} };
  for (const { runs, counts, longestGapSeconds, findings } of all) {
    sum.runs.push(...runs);
    for (const [name, count] of Object.entries(counts)) sum.counts[name] = (sum.counts[name] ?? 0) + count;
    sum.longestGapSeconds = Math.max(sum.longestGapSeconds, longestGapSeconds);
    for (const [name, found] of Object.entries(findings))
      sum.findings[name] = [...(sum.findings[name] ?? []), ...found];
  }
  return sum;
}

/** The table as Markdown, and the findings. */
export function describeFigures({ runs, counts, longestGapSeconds, findings }: Figures): string {
  const rows: [string, number | string][] = [
    ...Object.entries(counts),
    ["longest time without an acknowledged order", `${longestGapSeconds} s`],
    ...Object.entries(findings).map(([name, found]): [string, number] => [`**${name}**`, found.length]),
  ];
  const table = ["| what | |", "|---|---|", ...rows.map(([what, value]) => `| ${what} | ${value} |`)];
  const found = Object.entries(findings)
    .filter(([, texts]) => texts.length > 0)
    .flatMap(([name, texts]) => ["", `${name}:`, ...texts.slice(0, SHOWN_MAX).map((text) => `- ${text}`)]);
  return [...runs, "", ...table, ...found, ""].join("\n");
}
