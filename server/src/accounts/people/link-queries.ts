import sql from "sql-template-tag";
import type { Queryable, Tx } from "../../db/database.ts";

export type LinkPurpose = "invite" | "reset" | "enter";

export type LinkRow = { accountId: string; expiresAt: Date; usedAt: Date | null; replacedAt: Date | null };

export const insertLink = (
  tx: Tx,
  link: { digest: Buffer; accountId: string; purpose: LinkPurpose; now: Date; expiresAt: Date },
) =>
  tx.rows(sql`
    insert into account_links (digest, account_id, purpose, created_at, expires_at)
    values (${link.digest}, ${link.accountId}, ${link.purpose}, ${link.now}, ${link.expiresAt})`);

export const findLink = async (
  db: Queryable,
  digest: Buffer,
  purpose: LinkPurpose,
): Promise<LinkRow | undefined> => {
  const [row] = await db.rows<LinkRow>(sql`
    select account_id as "accountId", expires_at as "expiresAt", used_at as "usedAt", replaced_at as "replacedAt"
    from account_links where digest = ${digest} and purpose = ${purpose}`);
  return row;
};

/** One statement decides: a second form waits for the first and then finds the link used. */
export const markLinkUsed = (tx: Tx, digest: Buffer, purpose: LinkPurpose, now: Date) =>
  tx.rows<{ accountId: string }>(sql`
    update account_links l set used_at = ${now}
    from accounts a
    where l.digest = ${digest} and l.purpose = ${purpose} and l.used_at is null and l.replaced_at is null
      and l.expires_at > ${now} and a.id = l.account_id and a.removed_at is null
    returning l.account_id as "accountId"`);

/** Ends what is open of one purpose, or of all. */
export const replaceLinks = (db: Queryable, accountId: string, purpose: LinkPurpose | undefined, now: Date) =>
  db.rows(sql`
    update account_links set replaced_at = ${now}
    where account_id = ${accountId} and used_at is null and replaced_at is null
      and (${purpose ?? null}::text is null or purpose = ${purpose ?? null})`);
