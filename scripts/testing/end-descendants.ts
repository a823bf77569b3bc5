import { readdirSync, readFileSync } from "node:fs";

/** Ids of the processes that this one started, and of those that they started. Known where the system has /proc. */
export function listDescendants(except: ReadonlySet<number> = new Set()): number[] {
  const children = Map.groupBy(readProcesses(), ({ parentPid }) => parentPid);
  const found: number[] = [];
  const collect = (pid: number) => {
    for (const child of children.get(pid) ?? []) {
      if (except.has(child.pid)) continue;
      found.push(child.pid);
      collect(child.pid);
    }
  };
  collect(process.pid);
  return found;
}

/** Ends them all, except those named and what they started. */
export function endDescendants(except: ReadonlySet<number> = new Set()): void {
  for (const pid of listDescendants(except)) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }
}

function readProcesses(): { pid: number; parentPid: number }[] {
  return readNames("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const stat = readText(`/proc/${name}/stat`);
      // The name stands in parentheses and may hold some itself.
      const parentPid = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      return parentPid > 0 ? [{ pid: Number(name), parentPid }] : [];
    });
}

function readNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
