import { createHash } from "node:crypto";
import sql from "sql-template-tag";
import type { AccountDeps } from "../account-deps.ts";
import type { Session } from "./find-session.ts";
import { SESSION_MAX_MS } from "./session-life.ts";

/** Takes the id of a form that must count once. False when it was taken before, on whatever node. */
export async function claimForm(
  { db, clock }: Pick<AccountDeps, "db" | "clock">,
  session: Pick<Session, "accountId" | "face">,
  formId: string,
): Promise<boolean> {
  const now = clock.now();
  const digest = digestOf(session, formId);
  // No session in which the form could be sent again lives longer.
  const expiresAt = new Date(now.getTime() + SESSION_MAX_MS);
  const rows = await db.rows(sql`
    insert into account_challenges (digest, purpose, account_id, face, expires_at, used_at)
    values (${digest}, 'form', ${session.accountId}, ${session.face}, ${expiresAt}, ${now})
    on conflict (digest) do nothing
    returning 1`);
  return rows.length > 0;
}

/** The form that was claimed did nothing and never will: it may be sent once more. */
export const releaseForm = (
  { db }: Pick<AccountDeps, "db">,
  session: Pick<Session, "accountId">,
  formId: string,
) =>
  db.rows(sql`
    delete from account_challenges where digest = ${digestOf(session, formId)} and purpose = 'form'`);

const digestOf = ({ accountId }: Pick<Session, "accountId">, formId: string): Buffer =>
  createHash("sha256").update(`form\0${accountId}\0${formId}`).digest();
