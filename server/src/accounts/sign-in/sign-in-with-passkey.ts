import type { AccountDeps, Visitor } from "../account-deps.ts";
import { findAccount } from "../account-queries.ts";
import { CHALLENGE_LIFE_MS, makeChallenge, takeChallenge } from "../factors/challenges.ts";
import { lockAccount } from "../factors/factor-queries.ts";
import {
  loadWebAuthn,
  passkeyIdOf,
  passkeyRefused,
  siteOf,
  verifyPasskey,
} from "../factors/passkey-answers.ts";
import { findPasskey, markPasskeyUsed } from "../factors/passkey-queries.ts";
import { type Face, kindOf } from "../permissions.ts";
import type { StartedSession } from "../sessions/start-session.ts";
import { startKnown } from "./sign-in.ts";

/** What the browser needs to sign in with a passkey, without saying who. */
export async function offerPasskeySignIn(deps: AccountDeps, face: Face) {
  const now = deps.clock.now();
  const challenge = await makeChallenge(deps.db, { purpose: "passkey_sign_in", accountId: null, face, now });
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID: siteOf(deps.urls, face).id,
    challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
    timeout: CHALLENGE_LIFE_MS,
    userVerification: "required",
  });
}

/**
 * A passkey is something that the person has, and it was unlocked by them: it needs no password and no second factor. Nothing
 * can be guessed here, so nothing is counted.
 */
export async function signInWithPasskey(
  deps: AccountDeps,
  face: Face,
  answer: string,
  visitor: Visitor,
): Promise<StartedSession> {
  const now = deps.clock.now();
  const passkey = await findPasskey(deps.db, passkeyIdOf(answer));
  const account = passkey && (await findAccount(deps.db, passkey.accountId));
  if (!passkey || !account || account.removedAt || account.kind !== kindOf(face)) throw passkeyRefused();
  const counter = await verifyPasskey(siteOf(deps.urls, face), answer, passkey, (challenge) =>
    takeChallenge(deps.db, challenge, { purpose: "passkey_sign_in", accountId: null, face, now }),
  );
  return deps.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, account.id))) throw passkeyRefused();
    const [used] = await markPasskeyUsed(tx, passkey.id, counter, now);
    if (!used) throw passkeyRefused();
    return startKnown(deps, tx, account, visitor, "passkey");
  });
}
