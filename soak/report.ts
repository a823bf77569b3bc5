import { median } from "../bench/report.ts";
import type { Sample, SoakResult } from "./soak.ts";

/** How much each value can grow between the second quarter and the last and still count as flat. */
const GROWTH_MAX = 0.2;
const SLACK: readonly [RegExp, number][] = [
  [/heap MB$/, 10],
  [/RSS MB$/, 60],
  [/handles$/, 30],
  [/^connections$/, 10],
  [/KB$/, 512],
  [/bytes per order$/, 50],
  // Autovacuum starts at 20 % of a table: below that it keeps up.
  [/dead rows %$/, 20],
];
/** Values that grow with the run, as they should. */
const EXEMPT = "orders";

export type Trend = { name: string; early: number; late: number; isFlat: boolean };

export function findTrends(samples: readonly Sample[]): Trend[] {
  const quarter = Math.floor(samples.length / 4);
  const names = [...(samples[0]?.keys() ?? [])].filter((name) => name !== EXEMPT);
  return names.map((name) => {
    const of = (part: readonly Sample[]) => median(part.map((sample) => sample.get(name) ?? 0));
    const early = of(samples.slice(quarter, 2 * quarter));
    const late = of(samples.slice(-quarter));
    const slack = SLACK.find(([pattern]) => pattern.test(name))?.[1] ?? 0;
    return { name, early, late, isFlat: late - early <= Math.max(early * GROWTH_MAX, slack) };
  });
}

/** Fewer say too little about growth. */
const SAMPLES_MIN = 20;

export const isClean = ({ samples, faults }: SoakResult): boolean =>
  faults.length === 0 && samples.length >= SAMPLES_MIN && findTrends(samples).every(({ isFlat }) => isFlat);

export function describeSoak({ samples, orders, faults }: SoakResult, seed: number, minutes: number): string {
  const rows = findTrends(samples).map(
    ({ name, early, late, isFlat }) =>
      `| ${name} | ${early.toFixed(1)} | ${late.toFixed(1)} | ${isFlat ? "flat" : "**grows**"} |`,
  );
  return [
    `seed ${seed}, ${minutes} minutes, ${orders} orders`,
    "",
    "| what | second quarter | last quarter | |",
    "|---|---|---|---|",
    ...rows,
    "",
    faults.length === 0
      ? "Every invariant holds, and there are no contradictions."
      : faults.slice(0, 10).join("\n"),
    "",
  ].join("\n");
}
