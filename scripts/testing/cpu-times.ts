import { appendFileSync, readFileSync } from "node:fs";

/** Names the file in which each process of tests leaves what it cost. */
export const CPU_FILE = "SCRIP_TEST_CPU_FILE";

export type CpuTime = { path: string; seconds: number };

/** Of Linux, on every machine that we know. */
const TICKS_PER_SECOND = 100;

/** Leaves what this process and those that it started and saw end have cost, in seconds of CPU. */
export function leaveCpuTime(file: string, path: string): void {
  try {
    const stat = readFileSync("/proc/self/stat", "utf8");
    // The name is in parentheses and may hold some itself. What follows: own user and system time, then those of children.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    appendFileSync(file, `${ticks / TICKS_PER_SECOND} ${path}\n`);
  } catch {
    // There is no /proc here: then nothing is known, and nothing is shown.
  }
}

/** What they left, the costliest first. */
export function readCpuTimes(file: string): CpuTime[] {
  return readLines(file)
    .map((line) => {
      const [seconds = "", ...path] = line.split(" ");
      return { path: path.join(" "), seconds: Number(seconds) };
    })
    .toSorted((one, other) => other.seconds - one.seconds);
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
