import { recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import type { Secret } from "../../lib/secret.ts";
import type { AccountDeps } from "../account-deps.ts";
import { findPasswordHash, lockVerified, resellerOf } from "../account-queries.ts";
import { CHALLENGE_LIFE_MS, makeChallenge, takeChallenge } from "../factors/challenges.ts";
import { useTotpCode } from "../factors/check-code.ts";
import { lockAccount } from "../factors/factor-queries.ts";
import {
  loadWebAuthn,
  passkeyIdOf,
  passkeyRefused,
  siteOf,
  verifyPasskey,
} from "../factors/passkey-answers.ts";
import { findPasskey, listPasskeyRows, markPasskeyUsed } from "../factors/passkey-queries.ts";
import { cutPassword } from "../passwords/password-rules.ts";
import { Refusal } from "../refusal.ts";
import { beginGuess } from "../sign-in/guess-limits.ts";
import type { Session } from "./find-session.ts";
import { renewCookie } from "./start-session.ts";

export type Proof = { password: string } | { code: string } | { passkey: string };

/** Fresh proof for a session that is signed in. It gets a new cookie, and the old one stops working. */
export async function proveSession(
  deps: AccountDeps,
  session: Session,
  proof: Proof,
  address: string,
): Promise<Secret<string>> {
  if ("passkey" in proof) return proveByPasskey(deps, session, proof.passkey, address);
  if ("code" in proof) return proveByCode(deps, session, proof.code, address);
  const checked = await checkPassword(deps, session, proof.password, address);
  const cookie = await deps.db.transaction((tx) => checked.renew(tx));
  await checked.succeed();
  return cookie;
}

export type CheckedPassword = {
  /** Locks the account and gives the session a new cookie, if the password is still the one that was checked. */
  renew(tx: Tx): Promise<Secret<string>>;
  /** To be called when the transaction has committed. */
  succeed(): Promise<void>;
};

/** Whether this is the account's password. It is proof once it is renewed, in the transaction of what it is proof for. */
export async function checkPassword(
  deps: AccountDeps,
  session: Session,
  password: string,
  address: string,
): Promise<CheckedPassword> {
  const guess = await beginGuess(deps, "proof", session.accountId, address);
  const passwordHash = await findPasswordHash(deps.db, session.accountId);
  const isRight = await deps.hashing.verify(cutPassword(password), passwordHash);
  if (!isRight || !guess.isAllowed) throw proofRefused("password");
  return {
    async renew(tx) {
      if (!(await lockVerified(tx, { id: session.accountId, passwordHash }))) throw sessionEnded();
      return renew(deps, tx, session, address, "password");
    },
    succeed: guess.succeed,
  };
}

async function proveByCode(
  deps: AccountDeps,
  session: Session,
  code: string,
  address: string,
): Promise<Secret<string>> {
  const guess = await beginGuess(deps, "proof", session.accountId, address);
  if (!guess.isAllowed) throw proofRefused("code");
  const cookie = await deps.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, session.accountId))) throw sessionEnded();
    if (!(await useTotpCode(deps, tx, session.accountId, code))) throw proofRefused("code");
    return renew(deps, tx, session, address, "totp");
  });
  await guess.succeed();
  return cookie;
}

/** What the browser needs to prove the session with one of the account's passkeys. */
export async function offerPasskeyProof(deps: AccountDeps, session: Session) {
  const { accountId, face } = session;
  const passkeys = await listPasskeyRows(deps.db, accountId);
  if (passkeys.length === 0) throw new Refusal("factor_needed", "There is no passkey on this account.");
  const now = deps.clock.now();
  const challenge = await makeChallenge(deps.db, { purpose: "passkey_prove", accountId, face, now });
  const { generateAuthenticationOptions } = await loadWebAuthn();
  return generateAuthenticationOptions({
    rpID: siteOf(deps.urls, face).id,
    challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
    timeout: CHALLENGE_LIFE_MS,
    userVerification: "required",
    allowCredentials: passkeys.map(({ id, transports }) => ({ id, transports })),
  });
}

async function proveByPasskey(
  deps: AccountDeps,
  session: Session,
  answer: string,
  address: string,
): Promise<Secret<string>> {
  const { accountId, face } = session;
  const now = deps.clock.now();
  const passkey = await findPasskey(deps.db, passkeyIdOf(answer));
  if (passkey?.accountId !== accountId) throw passkeyRefused();
  const counter = await verifyPasskey(siteOf(deps.urls, face), answer, passkey, (challenge) =>
    takeChallenge(deps.db, challenge, { purpose: "passkey_prove", accountId, face, now }),
  );
  return deps.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) throw sessionEnded();
    const [used] = await markPasskeyUsed(tx, passkey.id, counter, now);
    if (!used) throw passkeyRefused();
    return renew(deps, tx, session, address, "passkey");
  });
}

async function renew(
  deps: AccountDeps,
  tx: Tx,
  session: Session,
  address: string,
  method: "password" | "totp" | "passkey",
): Promise<Secret<string>> {
  const now = deps.clock.now();
  const cookie = await renewCookie(tx, session, now);
  if (!cookie) throw sessionEnded();
  await recordActivity(tx, deps.clock, {
    actor: { kind: session.kind, id: session.accountId },
    address,
    action: "session.proved",
    object: { kind: "session", id: session.id },
    resellerId: resellerOf(session.team),
    after: { method },
  });
  return cookie;
}

const sessionEnded = (): Refusal => new Refusal("session_ended", "You were signed out. Sign in again.");

const proofRefused = (field: "password" | "code"): Refusal =>
  new Refusal(
    "proof_refused",
    field === "password"
      ? "The password is not right, or there were too many attempts."
      : "The code is not right, was used already, or there were too many attempts.",
    field,
  );
