import sql from "sql-template-tag";
import type { Queryable } from "../database.ts";
import type { ServingProcess } from "./serving-process.ts";

export type ListedProcess = ServingProcess & { startedAt: Date; beatAt: Date; isAlive: boolean };

/** A process beats once a second, and a busy database may make it wait. */
const SILENT_AFTER_SECONDS = 15;
const PROCESSES_MAX = 200;

/** Processes that serve, or that did within the last day. By the clock of the database, which also writes the beats. */
export const listProcesses = (db: Queryable): Promise<ListedProcess[]> =>
  db.rows<ListedProcess>(sql`
    select id, role, host, pid, version, started_at as "startedAt", beat_at as "beatAt",
           beat_at > clock_timestamp() - make_interval(secs => ${SILENT_AFTER_SECONDS}) as "isAlive"
    from processes order by 8 desc, started_at desc limit ${PROCESSES_MAX}`);
