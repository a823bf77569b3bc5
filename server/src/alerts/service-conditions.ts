import sql, { raw, type Sql } from "sql-template-tag";
import { PROCESS_HOME } from "../db/primary/serving-process.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A process beats once a second. A database that was away for a minute makes nobody disappear. */
const SILENT_MS = 2 * MINUTE_MS;

/** The latest audit and the latest full one count: a clean run that checked only what has changed does not end the alert. */
export const findBrokenAudit = (_now: Date, limit: number): Sql => sql`
  select 'audit' as subject,
         jsonb_build_object('finishedAt', broken.finished_at, 'broken', (
           select string_agg(one ->> 'number', ', ' order by (one ->> 'number')::integer)
           from jsonb_array_elements(broken.invariants) one where not (one ->> 'ok')::boolean
         )) as facts
  from (
    select finished_at, invariants from audit_runs
    where not ok and (id = (select max(id) from audit_runs) or id = (select max(id) from audit_runs where since is null))
    order by id desc limit 1
  ) broken limit ${limit}`;

/**
 * A worker that ends cleanly removes its row. One that was killed leaves it, and counts as gone until as many workers have
 * started since its last beat as were gone before it, or for a day.
 */
export const findGoneWorkers = (now: Date, limit: number): Sql => sql`
  with beats as (
    select id, host, started_at, beat_at, beat_at <= ${new Date(now.getTime() - SILENT_MS)} as gone
    from processes
    where role in ('all', 'worker') and beat_at > ${new Date(now.getTime() - DAY_MS)}
      and coalesce(home = ${raw(PROCESS_HOME)}, true)
  )
  select lost.id as subject, jsonb_build_object('processId', lost.id, 'host', lost.host, 'beatAt', lost.beat_at) as facts
  from (select id, host, beat_at, row_number() over (order by beat_at, id) as place from beats where gone) lost
  where lost.place > (select count(*) from beats where not gone and started_at > lost.beat_at)
  order by lost.beat_at, lost.id limit ${limit}`;
