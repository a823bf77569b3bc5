import type { AccountDeps, Visitor } from "../account-deps.ts";
import { findAccount } from "../account-queries.ts";
import { findChallenge, takeChallenge } from "../factors/challenges.ts";
import { useAnyCode } from "../factors/check-code.ts";
import { lockAccount } from "../factors/factor-queries.ts";
import type { Face } from "../permissions.ts";
import { Refusal } from "../refusal.ts";
import type { StartedSession } from "../sessions/start-session.ts";
import { beginGuess } from "./guess-limits.ts";
import { startKnown } from "./sign-in.ts";

/** The second step of a sign-in: a code of the app, or a recovery code. A wrong code leaves the step open, up to the limits. */
export async function confirmSecondFactor(
  deps: AccountDeps,
  face: Face,
  input: { pending: string; code: string },
  visitor: Visitor,
): Promise<StartedSession> {
  const now = deps.clock.now();
  const found = await findChallenge(deps.db, input.pending, { purpose: "second_factor", face, now });
  const accountId = found?.accountId;
  if (!accountId) throw new Refusal("session_ended", "This took too long. Sign in again.");
  const guess = await beginGuess(deps, "code", accountId, visitor.address);
  if (!guess.isAllowed) throw codeRefused();
  const session = await deps.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) throw new Refusal("session_ended", "Sign in again.");
    const method = await useAnyCode(deps, tx, accountId, input.code);
    if (!method) throw codeRefused();
    const challenge = { purpose: "second_factor", accountId, face, now } as const;
    if (!(await takeChallenge(tx, input.pending, challenge)))
      throw new Refusal("session_ended", "This step was completed already. Sign in again.");
    const account = await findAccount(tx, accountId);
    if (!account) throw new Error("the account of a challenge is missing");
    return startKnown(deps, tx, account, visitor, method);
  });
  await guess.succeed();
  return session;
}

/** The same for a wrong code, a used one and too many attempts. */
export const codeRefused = (): Refusal =>
  new Refusal(
    "code_refused",
    "This code is not right, was used already, or there were too many attempts. Wait for the next code, or use a recovery code.",
    "code",
  );
