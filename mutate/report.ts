import type { Area } from "./mutant.ts";
import type { MutantResult } from "./mutate.ts";

/** The share that must be killed. */
export const KILLED_PERCENT_MIN = 92;

export const killedPercent = (results: readonly MutantResult[]): number =>
  (results.filter(({ verdict }) => verdict === "killed").length / Math.max(1, results.length)) * 100;

export const isEnough = (results: readonly MutantResult[]): boolean =>
  killedPercent(results) >= KILLED_PERCENT_MIN && results.every(({ verdict }) => verdict !== "broken");

/** One line while the run goes on. */
export function describeProgress(results: readonly MutantResult[], total: number): string {
  const last = results.at(-1);
  if (!last) return `0/${total}`;
  const { verdict, mutant, seconds, detail } = last;
  const killed = results.filter((one) => one.verdict === "killed").length;
  const count = `${String(results.length).padStart(3)}/${total}, ${killed} killed`;
  const noted = detail === "" ? "" : ` (${detail})`;
  return `${count}  ${verdict.padEnd(9)} ${seconds.toFixed(1).padStart(5)} s  ${mutant.name}${noted}`;
}

/** A table by area, then each mutant that was not killed, with its reason where there is one. */
export function describeResults(areas: readonly Area[], results: readonly MutantResult[]): string {
  const byMutant = new Map(results.map((result) => [result.mutant, result]));
  const rows = areas.flatMap(({ title, mutants }) => {
    const ran = mutants.flatMap((mutant) => byMutant.get(mutant) ?? []);
    if (ran.length === 0) return [];
    const killed = ran.filter(({ verdict }) => verdict === "killed").length;
    return [`| ${title} | ${ran.length} | ${killed} | ${ran.length - killed} |`];
  });
  const killed = results.filter(({ verdict }) => verdict === "killed").length;
  const alive = results.filter(({ verdict }) => verdict !== "killed");
  return [
    "| area | mutants | killed | survived |",
    "|---|--:|--:|--:|",
    ...rows,
    `| all | ${results.length} | ${killed} | ${alive.length} |`,
    "",
    ...alive.map(
      ({ verdict, mutant, detail }) =>
        `${verdict}: ${mutant.name} in ${mutant.file}: ${mutant.why}${detail === "" ? "" : ` ${detail}`}`,
    ),
    `${killedPercent(results).toFixed(1)} % killed; at least ${KILLED_PERCENT_MIN} % is asked`,
  ].join("\n");
}
