import { randomBytes } from "node:crypto";
import { recordActivity } from "../../activity/record-activity.ts";
import type { Tx } from "../../db/database.ts";
import { type Secret, secret } from "../../lib/secret.ts";
import { seal } from "../../vault/seal.ts";
import type { AccountDeps } from "../account-deps.ts";
import { resellerOf } from "../account-queries.ts";
import { factorChangedLetter } from "../letters/letters.ts";
import { Refusal } from "../refusal.ts";
import type { Session } from "../sessions/find-session.ts";
import { requireFreshProof } from "../sessions/session-life.ts";
import { openTotp, totpContext } from "./check-code.ts";
import {
  deleteTotp,
  findFactors,
  findTotp,
  insertTotp,
  lockAccount,
  markTotpConfirmed,
  replaceRecoveryCodes,
} from "./factor-queries.ts";
import { makeRecoveryCodes } from "./recovery-codes.ts";
import { base32, findStep, TOTP_SECRET_BYTES, totpUri } from "./totp.ts";

/** Shown on one page: for a QR code, and to be typed. */
export type NewTotp = { uri: Secret<string>; secret: Secret<string> };

const ISSUER = "Scrip";
/** A secret on a screen that was left open does not become a factor later. */
export const TOTP_SETUP_MAX_MS = 15 * 60_000;

/** A new secret for an authenticator app. It counts once a code of it has come back. */
export async function addTotp(deps: AccountDeps, session: Session): Promise<NewTotp> {
  requireFreshProof(session, deps.clock.now());
  const bytes = randomBytes(TOTP_SECRET_BYTES);
  const sealed = seal(deps.keyring.masterKeys(), totpContext(session.accountId), bytes);
  await deps.db.transaction(async (tx) => {
    const [stored] = await insertTotp(tx, session.accountId, sealed, deps.clock.now());
    if (!stored)
      throw new Refusal("factor_exists", "An authenticator app is set up already. Remove it first.");
  });
  return { uri: secret(totpUri(bytes, ISSUER, session.email)), secret: secret(base32(bytes)) };
}

/** Sets the app up. Returns recovery codes where there were none, to be shown this once. */
export async function confirmTotp(
  deps: AccountDeps,
  session: Session,
  code: string,
  address: string,
): Promise<{ recoveryCodes: readonly string[] }> {
  const now = deps.clock.now();
  requireFreshProof(session, now);
  return deps.db.transaction(async (tx) => {
    await lockAccount(tx, session.accountId);
    const row = await findTotp(tx, session.accountId);
    if (!row || row.confirmedAt || now.getTime() - row.createdAt.getTime() >= TOTP_SETUP_MAX_MS)
      throw new Refusal("factor_needed", "Start again: there is no app to confirm.");
    const step = findStep(
      openTotp(deps.keyring, session.accountId, row.sealed),
      code.replaceAll(" ", ""),
      now,
      0,
    );
    if (step === undefined)
      throw new Refusal(
        "code_refused",
        "This code is not right. Check the clock of your device and try the next code.",
        "code",
      );
    await markTotpConfirmed(tx, session.accountId, step, now);
    const recoveryCodes = await addMissingRecoveryCodes(deps, tx, session.accountId);
    await tellFactorChange(deps, tx, session, address, {
      action: "factor.totp_added",
      sentence: "An authenticator app was added to your account.",
    });
    return { recoveryCodes };
  });
}

/** Removes the app. Where a factor is required and this was the last one, the session may do nothing but add another. */
export async function removeTotp(deps: AccountDeps, session: Session, address: string): Promise<void> {
  requireFreshProof(session, deps.clock.now());
  await deps.db.transaction(async (tx) => {
    await lockAccount(tx, session.accountId);
    const [removed] = await deleteTotp(tx, session.accountId);
    if (!removed) throw new Refusal("not_found", "No authenticator app is set up.");
    if (!removed.confirmedAt) return;
    await dropUselessRecoveryCodes(tx, session.accountId);
    await tellFactorChange(deps, tx, session, address, {
      action: "factor.totp_removed",
      sentence: "The authenticator app was removed from your account.",
    });
  });
}

/** Ten new recovery codes; the older ones stop working. */
export async function renewRecoveryCodes(
  deps: AccountDeps,
  session: Session,
  address: string,
): Promise<readonly string[]> {
  requireFreshProof(session, deps.clock.now());
  return deps.db.transaction(async (tx) => {
    await lockAccount(tx, session.accountId);
    const { totp, passkeys } = await findFactors(tx, session.accountId);
    if (!totp && passkeys === 0)
      throw new Refusal("factor_needed", "Add an authenticator app or a passkey first.");
    const codes = await makeRecoveryCodes(tx, deps.accountKey, session.accountId);
    await tellFactorChange(deps, tx, session, address, {
      action: "factor.recovery_codes_renewed",
      sentence: "New recovery codes were made for your account. The older ones no longer work.",
    });
    return codes;
  });
}

/** With the first factor come codes for the day on which it is lost. */
export async function addMissingRecoveryCodes(
  deps: AccountDeps,
  tx: Tx,
  accountId: string,
): Promise<readonly string[]> {
  const { recoveryCodes } = await findFactors(tx, accountId);
  return recoveryCodes > 0 ? [] : makeRecoveryCodes(tx, deps.accountKey, accountId);
}

/** Recovery codes stand in for a factor; without one they are worth nothing, and the next factor comes with new ones. */
export async function dropUselessRecoveryCodes(tx: Tx, accountId: string): Promise<void> {
  const { totp, passkeys } = await findFactors(tx, accountId);
  if (!totp && passkeys === 0) await replaceRecoveryCodes(tx, accountId, []);
}

/** Into the log, and by mail to the person. */
export async function tellFactorChange(
  deps: AccountDeps,
  tx: Tx,
  session: Session,
  address: string,
  change: { action: `factor.${string}`; sentence: string },
): Promise<void> {
  const now = deps.clock.now();
  await recordActivity(tx, deps.clock, {
    actor: { kind: session.kind, id: session.accountId },
    address,
    action: change.action,
    object: { kind: "person", id: session.accountId },
    resellerId: resellerOf(session.team),
  });
  await deps.queueLetter(tx, factorChangedLetter(deps.urls, session, change.sentence, now));
}
