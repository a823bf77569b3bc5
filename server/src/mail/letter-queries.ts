import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

export type DueNotice = {
  id: bigint;
  recipient: string;
  subject: string;
  body: string;
  createdAt: Date;
  tries: number;
};

/**
 * Takes the notice that has waited longest and says when it is tried again unless it is sent: whoever dies with it has
 * only delayed it. The pause doubles with every try, up to a bound.
 */
export const claimNotice = async (
  db: Queryable,
  now: Date,
  pause: { firstMs: number; maxMs: number },
): Promise<DueNotice | undefined> => {
  const [row] = await db.rows<DueNotice>(sql`
    update notices n
    set tries = n.tries + 1,
        next_try_at = ${now}::timestamptz
          + least(${pause.maxMs}::double precision, ${pause.firstMs}::double precision * 2 ^ least(n.tries, 30))
            * interval '1 millisecond'
    from (
      select id from notices where sent_at is null and next_try_at <= ${now}
      order by next_try_at limit 1
      for update skip locked
    ) due
    where n.id = due.id
    returning n.id, n.recipient, n.subject, n.body, n.created_at as "createdAt", n.tries`);
  return row;
};

export const markSent = (db: Queryable, id: bigint, now: Date) =>
  db.rows(sql`update notices set sent_at = ${now} where id = ${id} and sent_at is null`);
