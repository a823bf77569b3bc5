import { setTimeout as wait } from "node:timers/promises";
import { recordActivity } from "../../activity/record-activity.ts";
import type { AccountDeps } from "../account-deps.ts";
import { findSignInAccount, resellerOf, teamOf } from "../account-queries.ts";
import { normalizeEmail } from "../check-person.ts";
import { lockAccount } from "../factors/factor-queries.ts";
import { resetLetter } from "../letters/letters.ts";
import { makeLink, readLink, takeLink } from "../people/account-link.ts";
import { type Face, kindOf } from "../permissions.ts";
import { beginGuess, forgetGuesses } from "../sign-in/guess-limits.ts";
import { setPassword } from "./change-password.ts";
import { checkNewPassword } from "./password-rules.ts";

/** An answer takes this long whether or not a letter was written. The work takes a small part of it. */
export const RESET_ANSWER_MS = 300;

/** Sends a link to the address if it has an account. The answer is the same, and takes the same time, if it has none. */
export async function requestReset(
  deps: AccountDeps,
  face: Face,
  input: { email: string },
  address: string,
  answerMs: number = RESET_ANSWER_MS,
): Promise<void> {
  const answered = wait(answerMs);
  await sendReset(deps, face, normalizeEmail(input.email), address);
  await answered;
}

async function sendReset(deps: AccountDeps, face: Face, email: string, address: string): Promise<void> {
  const kind = kindOf(face);
  const guess = await beginGuess(deps, "reset", `${kind} ${email}`, address);
  const account = await findSignInAccount(deps.db, kind, email);
  if (!account || !guess.isAllowed) return;
  await deps.db.transaction(async (tx) => {
    await lockAccount(tx, account.id);
    const link = await makeLink(deps, tx, account, "reset");
    await deps.queueLetter(tx, resetLetter(account, link));
    await recordActivity(tx, deps.clock, {
      actor: { kind: "system", id: "reset" },
      address,
      action: "password.reset_requested",
      object: { kind: "person", id: account.id },
      resellerId: resellerOf(teamOf(account)),
    });
  });
}

/** Sets a new password by a link from such a letter. It does not sign in: the second factor is still asked for. */
export async function resetPassword(
  deps: AccountDeps,
  input: { token: string; password: string },
  address: string,
): Promise<void> {
  const found = await readLink(deps, "reset", input.token);
  checkNewPassword(input.password, found.email);
  const passwordHash = await deps.hashing.hash(input.password);
  await deps.db.transaction(async (tx) => {
    await lockAccount(tx, found.id);
    await takeLink(tx, "reset", input.token, deps.clock.now());
    await setPassword(deps, tx, found, passwordHash, { address });
  });
  await forgetGuesses(deps, "password", `${found.kind} ${found.email}`);
}
