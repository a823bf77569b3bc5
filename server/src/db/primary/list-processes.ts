import sql, { raw } from "sql-template-tag";
import type { Queryable } from "../database.ts";
import { PROCESS_HOME, type ServingProcess } from "./serving-process.ts";

export type ListedProcess = ServingProcess & {
  startedAt: Date;
  beatAt: Date;
  isAlive: boolean;
  /** When a process that has died is known to be gone. 0 for one that is. */
  silentInSeconds: number;
};

/** A process beats once a second, and a busy database may make it wait. */
const SILENT_AFTER_SECONDS = 15;
const PROCESSES_MAX = 200;

/**
 * Processes that serve, or that did within the last day. By the clock of the database, which also writes the beats. One that came with
 * a dump of another database does not serve this one.
 */
export const listProcesses = (db: Queryable): Promise<ListedProcess[]> =>
  db.rows<ListedProcess>(sql`
    with beats as (
      select *, case when coalesce(home = ${raw(PROCESS_HOME)}, true)
        then greatest(0, ceil(extract(epoch from beat_at - clock_timestamp()) + ${SILENT_AFTER_SECONDS}))::integer
        else 0 end as left_seconds
      from processes
    )
    select id, role, host, pid, version, started_at as "startedAt", beat_at as "beatAt",
           left_seconds > 0 as "isAlive", left_seconds as "silentInSeconds"
    from beats order by 8 desc, started_at desc limit ${PROCESSES_MAX}`);
