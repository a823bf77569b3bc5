import { readdirSync, readFileSync } from "node:fs";
import sql from "sql-template-tag";
import type { Db } from "../server/src/db/database.ts";

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

type Stat = { parent: number; ownMs: number; endedChildrenMs: number };

function readStat(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    // The name of the process, in brackets, can hold anything. What follows it is numbers.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    const at = (index: number): number => Number(fields[index]);
    return {
      parent: at(1),
      ownMs: (at(11) + at(12)) * TICK_MS,
      endedChildrenMs: (at(13) + at(14)) * TICK_MS,
    };
  } catch {
    return undefined;
  }
}

/** The processor time that one process has used. */
export const processMs = (pid: number): number => readStat(pid)?.ownMs ?? 0;

/** The processor time of a process and its children that are running. */
export const familyMs = (pid: number): number =>
  processMs(pid) + childrenOf(pid).reduce((sum, stat) => sum + stat.ownMs, 0);

const childrenOf = (pid: number): Stat[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readStat(Number(name)) ?? [])
    .filter(({ parent }) => parent === pid);

/** The processor time that PostgreSQL has used, with all of its processes, those that have ended included. */
export async function postgresMs(db: Db): Promise<number> {
  const [backend] = await db.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const postmaster = readStat(backend?.pid ?? 0)?.parent ?? 0;
  const ended = readStat(postmaster)?.endedChildrenMs ?? 0;
  return childrenOf(postmaster).reduce((sum, stat) => sum + stat.ownMs, ended);
}
