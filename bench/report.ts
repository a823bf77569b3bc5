import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, release, totalmem } from "node:os";
import { compareFigures, type Figures, keyOf, readCommittedFigures } from "./committed-figures.ts";

export type Row = { what: string; measured: string; goal: string; met: boolean | undefined };

const FILE = new URL("../docs/benchmarks.md", import.meta.url);
const INTRODUCTION = `# Benchmarks

Each part is written by \`npm run bench -- NAME\`. Everything in one part was measured in one run on one machine, so
the ratios hold where the absolute figures do not: machines differ, and shared ones are noisy.
`;

const reported: (Row & { name: string; compared: string })[] = [];
/** Read before the first part is written. */
let committed: Figures | undefined;

/** Everything that this run has measured, in one table. */
export const summarize = (): string =>
  [
    "| benchmark | what | measured | goal | | against the last commit |",
    "|---|---|---|---|---|---|",
    ...reported.map(
      (row) =>
        `| ${row.name} | ${row.what} | ${row.measured} | ${row.goal} | ${verdict(row)} | ${row.compared} |`,
    ),
  ].join("\n");

/** Prints the table beside the last committed figures, and replaces this benchmark's part of docs/benchmarks.md. */
export function report(name: string, notes: readonly string[], rows: readonly Row[]): void {
  committed ??= readCommittedFigures();
  const compared = rows.map((row) => ({
    ...row,
    name,
    compared: compareFigures(committed?.get(keyOf(name, row.what)), row.measured),
  }));
  const part = [
    `## ${name}`,
    "",
    `${new Date().toISOString().slice(0, 10)} · ${describeMachine()}`,
    "",
    ...notes.map((note) => `- ${note}`),
    "",
    "| what | measured | goal | |",
    "|---|---|---|---|",
    ...rows.map((row) => `| ${row.what} | ${row.measured} | ${row.goal} | ${verdict(row)} |`),
    "",
  ].join("\n");
  console.log(`\n${part}`);
  const comparable = compared.filter((row) => row.compared !== "");
  if (comparable.length > 0) {
    console.log("Against the last committed figures, which can be from another machine:");
    for (const row of comparable) console.log(`- ${row.what}: ${row.compared}`);
  }
  reported.push(...compared);
  writeFileSync(FILE, replacePart(existsSync(FILE) ? readFileSync(FILE, "utf8") : INTRODUCTION, name, part));
}

const verdict = ({ met }: Row): string => (met === undefined ? "" : met ? "met" : "**missed**");

const describeMachine = (): string =>
  `${cpus().length} cores (${cpus()[0]?.model.trim() || "unknown"}), ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release()}, Node ${process.version}`;

function replacePart(document: string, name: string, part: string): string {
  const [introduction = "", ...parts] = document.split(/^(?=## )/m);
  const others = parts.filter((other) => !other.startsWith(`## ${name}\n`)).map((other) => other.trimEnd());
  return `${[introduction.trimEnd(), ...[...others, part.trimEnd()].sort()].join("\n\n")}\n`;
}

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
};

/** Of times on a machine that others use too: what it takes when they let it. */
export const lowerQuartile = (values: readonly number[]): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 4)] ?? Number.NaN;
};
