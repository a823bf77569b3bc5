import { createHash, randomBytes } from "node:crypto";
import sql from "sql-template-tag";
import type { Queryable } from "../../db/database.ts";
import type { Face } from "../permissions.ts";

export type ChallengePurpose = "second_factor" | "passkey_sign_in" | "passkey_add" | "passkey_prove";

export const CHALLENGE_LIFE_MS = 5 * 60_000;
const CHALLENGE_BYTES = 32;

type Challenge = { purpose: ChallengePurpose; accountId: string | null; face: Face; now: Date };

/** Something for a browser to answer within five minutes, once. Its digest is stored. */
export async function makeChallenge(
  db: Queryable,
  { purpose, accountId, face, now }: Challenge,
): Promise<string> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString("base64url");
  const expiresAt = new Date(now.getTime() + CHALLENGE_LIFE_MS);
  await db.rows(sql`
    insert into account_challenges (digest, purpose, account_id, face, expires_at)
    values (${digestOf(challenge)}, ${purpose}, ${accountId}, ${face}, ${expiresAt})`);
  return challenge;
}

/** Whose challenge it is, while it can still be answered. */
export async function findChallenge(
  db: Queryable,
  challenge: string,
  { purpose, face, now }: Omit<Challenge, "accountId">,
): Promise<{ accountId: string | null } | undefined> {
  const [row] = await db.rows<{ accountId: string | null }>(sql`
    select account_id as "accountId" from account_challenges
    where digest = ${digestOf(challenge)} and purpose = ${purpose} and face = ${face} and used_at is null
      and expires_at > ${now}`);
  return row;
}

/** Uses the challenge up. One statement decides, so that of two answers at once one counts. */
export async function takeChallenge(
  db: Queryable,
  challenge: string,
  { purpose, accountId, face, now }: Challenge,
): Promise<boolean> {
  const rows = await db.rows(sql`
    update account_challenges set used_at = ${now}
    where digest = ${digestOf(challenge)} and purpose = ${purpose} and face = ${face}
      and account_id is not distinct from ${accountId} and used_at is null and expires_at > ${now}
    returning 1`);
  return rows.length > 0;
}

const digestOf = (challenge: string): Buffer => createHash("sha256").update(challenge).digest();
