import type { ChaosResult } from "./chaos.ts";
import { FAULT_NAMES, type FaultName } from "./faults.ts";
import type { Findings } from "./findings.ts";

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
    "acknowledged orders": [...recorder.wanted.values()].filter(({ told }) => told).length,
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

function explainMissing(name: FaultName, { hasSmallDisk, canLosePower }: ChaosResult): string | undefined {
  if (name === "full disk" && !hasSmallDisk) return "no small disk could be mounted";
  if (name === "power cut" && !canLosePower) return "no disk in a file could be mounted";
  return undefined;
}

/** The table of a run, as Markdown, and the findings. */
export function describeResult(result: ChaosResult, seed: number, minutes: number): string {
  const { faults, orders, recorder, findings } = result;
  const acknowledged = [...recorder.wanted.values()].filter(({ told }) => told).length;
  const rows: [string, number | string][] = [
    ...FAULT_NAMES.map((name): [string, number | string] => [
      name,
      explainMissing(name, result) ?? faults.get(name) ?? 0,
    ]),
    ["orders acknowledged", acknowledged],
    ...[...orders].map(([status, number]): [string, number] => [`… ${status}`, number]),
    ["responses to placements", recorder.counts.answers],
    ["tries without a response", recorder.counts.lost],
    ["orders read back", recorder.counts.reads],
    [
      "payments, acknowledged",
      `${recorder.payments.filter((one) => one.acknowledged).length} of ${recorder.payments.length}`,
    ],
    ["refunds by the operator", recorder.refunded.size],
    ["keys revoked", recorder.counts.revocations],
    ["signing secrets rotated", recorder.counts.rotations],
    ["events", result.events],
    ["deliveries beyond the first", result.repeatedDeliveries],
    ["longest time without an acknowledged order", `${(recorder.longestGapMs() / 1_000).toFixed(1)} s`],
    ...(Object.keys(findings) as (keyof Findings)[]).map((name): [string, number] => [
      `**${name}**`,
      findings[name].length,
    ]),
    ["**unfinished**", result.unended.join("; ") || 0],
    ["**shortcomings**", describeShortcomings(result).join("; ") || 0],
  ];
  const table = ["| what | |", "|---|---|", ...rows.map(([what, value]) => `| ${what} | ${value} |`)];
  return [`seed ${seed}, ${minutes} minutes`, "", ...table, ...describeFindings(findings), ""].join("\n");
}

const describeFindings = (findings: Findings): string[] =>
  (Object.keys(findings) as (keyof Findings)[])
    .filter((name) => findings[name].length > 0)
    .flatMap((name) => ["", `${name}:`, ...findings[name].slice(0, SHOWN_MAX).map((text) => `- ${text}`)]);
