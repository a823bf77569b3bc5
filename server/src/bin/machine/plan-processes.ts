import { availableParallelism, totalmem } from "node:os";
import type { Role } from "../serve.ts";

/** The machine that Scrip runs on. */
export type Machine = { cores: number; memoryBytes: number };

/** One process that does everything of its role, or several with what each does. */
export type ProcessPlan = "one" | { http: number; workers: number };

/** More processes than this gain little: they share one PostgreSQL, and each has its own connections to it. */
const HTTP_PROCESSES_MAX = 8;
/** PostgreSQL, the workers and the proxy need a core too: two HTTP processes on two cores are slower than one. */
const CORES_FOR_OTHERS = 1;
/** What a process can need when its caches are full. */
const PROCESS_MEMORY_BYTES = 512 * 1024 * 1024;
/** Workers of the role `all`: one for each four HTTP processes, rounded up. */
const HTTP_PER_WORKER = 4;

/** How many processes a role gets. 0 lets the machine decide; of workers that is one. */
export function planProcesses(role: Role, asked: number, machine: Machine): ProcessPlan {
  const count = asked || (role === "worker" ? 1 : defaultCount(machine));
  if (count <= 1) return "one";
  if (role === "worker") return { http: 0, workers: count };
  return { http: count, workers: role === "api" ? 0 : Math.ceil(count / HTTP_PER_WORKER) };
}

function defaultCount({ cores, memoryBytes }: Machine): number {
  const byMemory = Math.floor(memoryBytes / PROCESS_MEMORY_BYTES);
  return Math.max(1, Math.min(cores - CORES_FOR_OTHERS, byMemory, HTTP_PROCESSES_MAX));
}

/** Respects what a container may use. */
export const thisMachine = (): Machine => ({
  cores: availableParallelism(),
  memoryBytes: Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY),
});
