import sql, { type Sql } from "sql-template-tag";

const HOUR_MS = 3_600_000;
/** A daily backup, and two hours for it to finish. */
const BACKUP_EVERY_MS = 26 * HOUR_MS;

/** Scrip makes no backups: the operator's script says when it has made one. A new installation has a day for the first. */
export const findUnknownBackup = (now: Date, limit: number): Sql => {
  const since = new Date(now.getTime() - BACKUP_EVERY_MS);
  return sql`
    select 'backup' as subject, jsonb_build_object('lastAt', (select max(recorded_at) from backups)) as facts
    where (select min(applied_at) from schema_migrations) <= ${since}
      and not exists (select from backups where recorded_at > ${since})
    limit ${limit}`;
};
