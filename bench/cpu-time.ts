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

/** The processor time that PostgreSQL has used, with all of its processes, those that have ended included. */
export async function postgresMs(db: Db): Promise<number> {
  const [backend] = await db.rows<{ pid: number }>(sql`select pg_backend_pid() as pid`);
  const postmaster = readStat(backend?.pid ?? 0)?.parent ?? 0;
  const children = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((name) => readStat(Number(name)))
    .filter((stat) => stat?.parent === postmaster);
  const ended = readStat(postmaster)?.endedChildrenMs ?? 0;
  return children.reduce((sum, stat) => sum + (stat?.ownMs ?? 0), ended);
}
