import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { AccountDeps } from "../account-deps.ts";
import { type AccountRow, lockPerson, resellerOf, type Team } from "../account-queries.ts";
import { findFactors, forgetFactors } from "../factors/factor-queries.ts";
import { factorChangedLetter } from "../letters/letters.ts";
import { Refusal } from "../refusal.ts";
import { markSessionsEnded } from "../sessions/session-queries.ts";

/**
 * For someone who has lost app, passkeys and recovery codes: another owner or an admin takes all of them away. The password
 * stays, all sessions end, and the person is told by mail.
 */
export async function resetFactor(deps: AccountDeps, team: Team, id: string, by: By): Promise<AccountRow> {
  if (by.actor.id === id)
    throw new Refusal("own_factor", "You cannot reset your own second factor. Ask another owner.");
  return deps.db.transaction(async (tx) => {
    const now = deps.clock.now();
    const person = id.includes("\0") ? undefined : await lockPerson(tx, team, id);
    if (!person) throw new Refusal("not_found", "There is no such person on this team.");
    const { totp, passkeys } = await findFactors(tx, id);
    await forgetFactors(tx, id);
    await markSessionsEnded(tx, id, {}, now);
    await recordActivity(tx, deps.clock, {
      ...by,
      action: "factor.reset",
      object: { kind: "person", id },
      resellerId: resellerOf(team),
      before: { totp, passkeys },
    });
    await deps.queueLetter(
      tx,
      factorChangedLetter(
        deps.urls,
        person,
        "Your second factor was reset: the authenticator app, all passkeys and all recovery codes were removed, and you were signed out everywhere.",
        now,
      ),
    );
    return person;
  });
}
