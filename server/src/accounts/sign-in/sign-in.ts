import { recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import { type Secret, secret } from "../../lib/secret.ts";
import type { AccountDeps, Visitor } from "../account-deps.ts";
import {
  type AccountRow,
  findSignInAccount,
  lockVerified,
  replacePasswordHash,
  resellerOf,
  type SignInRow,
  teamOf,
} from "../account-queries.ts";
import { normalizeEmail } from "../check-person.ts";
import { makeChallenge } from "../factors/challenges.ts";
import { type FactorsRow, findFactors } from "../factors/factor-queries.ts";
import { cutPassword } from "../passwords/password-rules.ts";
import { type Face, faceOf, kindOf } from "../permissions.ts";
import { type StartedSession, startSession } from "../sessions/start-session.ts";
import { beginGuess } from "./guess-limits.ts";

export type SignInMethod = "totp" | "recovery_code" | "passkey";

export type SignInResult =
  | { state: "signed_in"; session: StartedSession }
  /** The password was right. `pending` goes into the form that asks for the second factor, and lives five minutes. */
  | { state: "second_factor"; pending: Secret<string>; methods: readonly SignInMethod[] }
  /** A wrong email, a wrong password and a locked account look alike. */
  | { state: "refused"; message: string };

/** The one answer to everything that is not right. */
export const SIGN_IN_REFUSED =
  "The email or the password is not right, or there were too many attempts. Check both, wait a few minutes, or reset the password.";

/** Signs in by email and password. One hash is computed whatever is wrong, so that the time tells nothing either. */
export async function signIn(
  deps: AccountDeps,
  face: Face,
  input: { email: string; password: string },
  visitor: Visitor,
): Promise<SignInResult> {
  const kind = kindOf(face);
  const email = normalizeEmail(input.email);
  const password = cutPassword(input.password);
  const guess = await beginGuess(deps, "password", `${kind} ${email}`, visitor.address);
  const account = await findSignInAccount(deps.db, kind, email);
  const isRight = await deps.hashing.verify(password, account?.passwordHash ?? null);
  if (!account || !isRight || !guess.isAllowed) return { state: "refused", message: SIGN_IN_REFUSED };
  await guess.succeed();
  await renewHash(deps, account, password);
  return deps.db.transaction((tx) => goOn(deps, tx, account, visitor));
}

/** A hash that was made at an older cost is made again while the password is at hand. */
async function renewHash(deps: AccountDeps, account: SignInRow, password: string): Promise<void> {
  const before = account.passwordHash;
  if (before === null || !deps.hashing.isOutdated(before)) return;
  const after = await deps.hashing.hash(password);
  await replacePasswordHash(deps.db, account.id, before, after);
  account.passwordHash = after;
}

async function goOn(deps: AccountDeps, tx: Tx, account: SignInRow, visitor: Visitor): Promise<SignInResult> {
  // The password may have been changed, or the person removed, while the hash was computed.
  if (!(await lockVerified(tx, account))) return { state: "refused", message: SIGN_IN_REFUSED };
  const methods = methodsOf(await findFactors(tx, account.id));
  if (methods.length === 0)
    return { state: "signed_in", session: await startKnown(deps, tx, account, visitor, "password") };
  const pending = await makeChallenge(tx, {
    purpose: "second_factor",
    accountId: account.id,
    face: faceOf(account.kind),
    now: deps.clock.now(),
  });
  return { state: "second_factor", pending: secret(pending), methods };
}

const methodsOf = ({ totp, passkeys, recoveryCodes }: FactorsRow): SignInMethod[] => {
  if (!totp && passkeys === 0) return [];
  const methods: readonly (readonly [boolean, SignInMethod])[] = [
    [passkeys > 0, "passkey"],
    [totp, "totp"],
    [recoveryCodes > 0, "recovery_code"],
  ];
  return methods.flatMap(([isThere, method]) => (isThere ? [method] : []));
};

/** A session for someone who has proved who they are, and a row of the log that says how. */
export async function startKnown(
  deps: AccountDeps,
  tx: Tx,
  account: Pick<AccountRow, "id" | "kind" | "email" | "resellerId">,
  visitor: Visitor,
  method: "password" | SignInMethod,
): Promise<StartedSession> {
  const session = await startSession(deps, tx, account, visitor);
  await recordActivity(tx, deps.clock, {
    actor: { kind: account.kind, id: account.id },
    address: visitor.address,
    action: "session.started",
    object: { kind: "session", id: session.id },
    resellerId: resellerOf(teamOf(account)),
    after: { method },
  });
  return session;
}
