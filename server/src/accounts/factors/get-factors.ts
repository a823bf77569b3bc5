import type { AccountDeps } from "../account-deps.ts";
import { findPasswordHash } from "../account-queries.ts";
import type { Session } from "../sessions/find-session.ts";
import { findFactors } from "./factor-queries.ts";

/** What a person can prove themselves with. */
export type Factors = { hasPassword: boolean; totp: boolean; passkeys: number; recoveryCodes: number };

export async function getFactors(
  { db }: Pick<AccountDeps, "db">,
  { accountId }: Pick<Session, "accountId">,
): Promise<Factors> {
  const hasPassword = (await findPasswordHash(db, accountId)) !== null;
  return { hasPassword, ...(await findFactors(db, accountId)) };
}
