import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

const FILE = "docs/benchmarks.md";
const ROOT = new URL("..", import.meta.url).pathname;
const GIT_TIMEOUT_MS = 10_000;

/** What was measured, by benchmark and row. */
export type Figures = ReadonlyMap<string, string>;
export const keyOf = (name: string, what: string): string => `${name}: ${what}`;

/** The figures of the last commit. Where there is no git, those of the file as it is before the run. */
export function readCommittedFigures(): Figures {
  try {
    const options = { cwd: ROOT, encoding: "utf8", timeout: GIT_TIMEOUT_MS, stdio: "pipe" } as const;
    return parseFigures(execFileSync("git", ["show", `HEAD:${FILE}`], options));
  } catch {
    return parseFigures(readFileSync(`${ROOT}/${FILE}`, "utf8"));
  }
}

export function parseFigures(document: string): Figures {
  const figures = new Map<string, string>();
  for (const part of document.split(/^(?=## )/m)) {
    const name = /^## (.+)$/m.exec(part)?.[1];
    if (name === undefined) continue;
    for (const [, what, measured] of part.matchAll(/^\| (.+?) \| (.*?) \| .*\|$/gm))
      if (what !== undefined && measured !== undefined) figures.set(keyOf(name, what), measured);
  }
  return figures;
}

/** How a figure compares with an earlier one: `1.05× of 2700`. Empty if either has no number. */
export function compareFigures(earlier: string | undefined, now: string): string {
  const [before, after] = [numberOf(earlier ?? ""), numberOf(now)];
  if (before === undefined || after === undefined || before === 0) return "";
  return `${(after / before).toFixed(2)}× of ${before}`;
}

/** A row's ratio if it has one, because that holds on other machines too; otherwise its first number. */
function numberOf(measured: string): number | undefined {
  const text = /([\d.]+)×/.exec(measured)?.[1] ?? /\d+(\.\d+)?/.exec(measured)?.[0];
  return text === undefined ? undefined : Number(text);
}
