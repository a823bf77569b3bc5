import { appendFileSync, readdirSync, readFileSync } from "node:fs";

/** Names the file in which each process of tests leaves what its test files cost. */
export const CPU_FILE = "SCRIP_TEST_CPU_FILE";

export type CpuTime = { path: string; seconds: number };

/** Of Linux, on every machine that we know. */
const TICKS_PER_SECOND = 100;

/**
 * Leaves what this process, with those that it started and saw end, has cost in seconds of CPU since it last left
 * something. The name is that of the test file that it was for.
 */
export function leaveCpuTime(file: string, path: string): void {
  const cost = readCost("self");
  if (cost === undefined) return;
  const seconds = cost.ownSeconds + cost.endedSeconds;
  appendFileSync(file, `${(seconds - leftSeconds).toFixed(2)} ${path}\n`);
  leftSeconds = seconds;
}

let leftSeconds = 0;

/** What a process and all its descendants have cost until now; 0 if that is unknown. */
export function readFamilySeconds(pid: number): number {
  const costs = new Map(readPids().map((one) => [one, readCost(String(one))]));
  const sum = (member: number): number => {
    const cost = costs.get(member);
    if (cost === undefined) return 0;
    const children = [...costs].filter(([, other]) => other?.parentPid === member);
    return children.reduce((total, [child]) => total + sum(child), cost.ownSeconds + cost.endedSeconds);
  };
  return sum(pid);
}

function readPids(): number[] {
  try {
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** Undefined where there is no /proc, or no longer such a process: then nothing is known, and nothing is shown. */
function readCost(pid: string) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name is in parentheses and may hold some itself. After it come the state and the parent.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    // User and system time: its own, then those of the children that it saw end.
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
    return {
      parentPid: Number(fields[1]),
      ownSeconds: (user + system) / TICKS_PER_SECOND,
      endedSeconds: (endedUser + endedSystem) / TICKS_PER_SECOND,
    };
  } catch {
    return undefined;
  }
}

/** What they left, the costliest first. A group leaves something at its beginning and at its end. */
export function readCpuTimes(file: string): CpuTime[] {
  const secondsOf = new Map<string, number>();
  for (const line of readLines(file)) {
    const [seconds = "", ...words] = line.split(" ");
    const path = words.join(" ");
    secondsOf.set(path, (secondsOf.get(path) ?? 0) + Number(seconds));
  }
  return [...secondsOf]
    .map(([path, seconds]) => ({ path, seconds }))
    .toSorted((one, other) => other.seconds - one.seconds);
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, "utf8").split("\n").filter(Boolean);
  } catch {
    return [];
  }
}
