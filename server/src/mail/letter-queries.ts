import sql from "sql-template-tag";
import type { Queryable } from "../db/database.ts";

export type DueLetter = {
  id: bigint;
  recipient: string;
  subject: string;
  text: string;
  html: string | null;
  createdAt: Date;
  expiresAt: Date | null;
  tries: number;
};

/**
 * Takes the letter that has waited longest and sets when it is tried again unless it is sent by then: a process that dies
 * with it only delays it. The pause doubles with every try, up to a maximum.
 */
export const claimLetter = async (
  db: Queryable,
  now: Date,
  pause: { firstMs: number; maxMs: number },
): Promise<DueLetter | undefined> => {
  const [row] = await db.rows<DueLetter>(sql`
    update letters l
    set tries = l.tries + 1,
        next_try_at = ${now}::timestamptz
          + least(${pause.maxMs}::double precision, ${pause.firstMs}::double precision * 2 ^ least(l.tries, 30))
            * interval '1 millisecond'
    from (
      select id from letters where status = 'waiting' and next_try_at <= ${now}
      order by next_try_at limit 1
      for update skip locked
    ) due
    where l.id = due.id
    returning l.id, l.recipient, l.subject, l.body_text as text, l.body_html as html, l.created_at as "createdAt",
              l.expires_at as "expiresAt", l.tries`);
  return row;
};

/** The letter was sent, or is not worth sending any more. Secrets do not outlive it. */
export const endLetter = (db: Queryable, id: bigint, status: "sent" | "expired", now: Date) =>
  db.rows(sql`
    update letters
    set status = ${status}, ended_at = ${now},
        body_text = case when holds_secret then '' else body_text end,
        body_html = case when holds_secret then null else body_html end
    where id = ${id} and status = 'waiting'`);

/** Letters that are not worth sending any more, whether they could be sent or not. */
export const expireLetters = (db: Queryable, now: Date) =>
  db.rows(sql`
    update letters
    set status = 'expired', ended_at = ${now},
        body_text = case when holds_secret then '' else body_text end,
        body_html = case when holds_secret then null else body_html end
    where status = 'waiting' and expires_at <= ${now}`);

/** Letters that wait, and since when the first of them is due. */
export const readLetterBacklog = async (db: Queryable, now: Date) => {
  const [row] = await db.rows<{ waiting: number; oldestSeconds: number }>(sql`
    select count(*)::integer as waiting,
           greatest(coalesce(extract(epoch from ${now}::timestamptz - min(next_try_at)), 0), 0)::double precision as "oldestSeconds"
    from letters where status = 'waiting'`);
  return row ?? { waiting: 0, oldestSeconds: 0 };
};
