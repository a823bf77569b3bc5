import { recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import type { Secret } from "../../lib/secret.ts";
import type { AccountDeps } from "../account-deps.ts";
import {
  type AccountRow,
  findPasswordHash,
  lockVerified,
  resellerOf,
  teamOf,
  updatePasswordHash,
} from "../account-queries.ts";
import { deleteChallenges } from "../factors/factor-queries.ts";
import { passwordChangedLetter } from "../letters/letters.ts";
import { endLinks } from "../people/account-link.ts";
import { Refusal } from "../refusal.ts";
import type { Session } from "../sessions/find-session.ts";
import { type CheckedPassword, checkPassword } from "../sessions/prove-session.ts";
import { requireFreshProof } from "../sessions/session-life.ts";
import { markSessionsEnded } from "../sessions/session-queries.ts";
import { checkNewPassword } from "./password-rules.ts";

/**
 * Changes one's own password. The current one is proof; an account that has none yet, as in the demo, needs a session with fresh
 * proof. All other sessions end, and this one gets a new cookie.
 */
export async function changePassword(
  deps: AccountDeps,
  session: Session,
  input: { current: string | undefined; password: string },
  address: string,
): Promise<Secret<string>> {
  checkNewPassword(input.password, session.email);
  const checked =
    input.current === undefined
      ? await checkFirst(deps, session)
      : await checkPassword(deps, session, input.current, address);
  const passwordHash = await deps.hashing.hash(input.password);
  const account = { ...session, id: session.accountId, ...resellerIdOf(session) };
  // One transaction: a reset that comes after the check makes the old password worth nothing.
  const cookie = await deps.db.transaction(async (tx) => {
    const renewed = await checked.renew(tx);
    await setPassword(deps, tx, account, passwordHash, { address, keptSession: session.id });
    return renewed;
  });
  await checked.succeed();
  return cookie;
}

/** Looks twice: early, to answer without making a hash, and under the lock. */
async function checkFirst(deps: AccountDeps, session: Session): Promise<CheckedPassword> {
  requireFreshProof(session, deps.clock.now());
  if ((await findPasswordHash(deps.db, session.accountId)) !== null) throw currentMissing();
  return {
    async renew(tx) {
      if (!(await lockVerified(tx, { id: session.accountId, passwordHash: null }))) throw currentMissing();
      return session.cookie;
    },
    succeed: async () => undefined,
  };
}

const currentMissing = (): Refusal =>
  new Refusal("proof_refused", "Enter the current password too.", "current");

const resellerIdOf = (session: Session): { resellerId: string | null } => ({
  resellerId: resellerOf(session.team) ?? null,
});

/** A new password ends what was open under the old one: sessions, links, and sign-ins that wait for their second factor. */
export async function setPassword(
  deps: AccountDeps,
  tx: Tx,
  account: Pick<AccountRow, "id" | "kind" | "email" | "resellerId">,
  passwordHash: string,
  { address, keptSession }: { address: string; keptSession?: string },
): Promise<void> {
  const now = deps.clock.now();
  await updatePasswordHash(tx, account.id, passwordHash);
  await markSessionsEnded(tx, account.id, { except: keptSession }, now);
  await endLinks(tx, account.id, now);
  await deleteChallenges(tx, account.id);
  await recordActivity(tx, deps.clock, {
    actor: { kind: account.kind, id: account.id },
    address,
    action: "password.changed",
    object: { kind: "person", id: account.id },
    resellerId: resellerOf(teamOf(account)),
  });
  await deps.queueLetter(tx, passwordChangedLetter(deps.urls, account, now));
}
