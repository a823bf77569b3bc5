import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

/** Takes the turn of a source that is due, and says when the next one is. False when another process has it. */
export const claimSource = async (
  db: Queryable,
  source: string,
  now: Date,
  nextAt: Date,
): Promise<boolean> => {
  const rows = await db.rows(sql`
    insert into rate_sources as s (source, due_at) values (${source}, ${nextAt})
    on conflict (source) do update set due_at = excluded.due_at where s.due_at <= ${now}
    returning source`);
  return rows.length > 0;
};

export const markReceived = (db: Queryable, source: string, now: Date, nextAt?: Date) =>
  db.rows(sql`
    update rate_sources set received_at = ${now}, due_at = coalesce(${nextAt ?? null}::timestamptz, due_at)
    where source = ${source}`);

/** Suppliers whose rates are used and were not read lately, the longest ago first. */
export const listDueFeeds = async (db: Queryable, now: Date): Promise<string[]> => {
  const rows = await db.rows<{ id: string }>(sql`
    select p.id from suppliers p left join rate_sources s on s.source = p.id
    where p.feeds_rates and p.enabled and coalesce(s.due_at, 'epoch') <= ${now}
    order by s.due_at nulls first, p.id`);
  return rows.map(({ id }) => id);
};
