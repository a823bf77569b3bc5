import { assertPlainText } from "../../lib/plain-text.ts";
import type { AccountDeps } from "../account-deps.ts";
import { faceOf } from "../permissions.ts";
import { Refusal } from "../refusal.ts";
import type { Session } from "../sessions/find-session.ts";
import { requireFreshProof } from "../sessions/session-life.ts";
import { CHALLENGE_LIFE_MS, makeChallenge, takeChallenge } from "./challenges.ts";
import { addMissingRecoveryCodes, dropUselessRecoveryCodes, tellFactorChange } from "./change-totp.ts";
import { lockAccount } from "./factor-queries.ts";
import { ALGORITHMS, loadWebAuthn, passkeyRefused, siteOf, verifyNewPasskey } from "./passkey-answers.ts";
import { deletePasskey, insertPasskey, listPasskeyRows } from "./passkey-queries.ts";

export const PASSKEYS_MAX = 20;
const NAME_MAX_CHARACTERS = 100;
const DEFAULT_NAME = "Passkey";

export type Passkey = { id: string; name: string; createdAt: Date; lastUsedAt: Date | null };

export async function listPasskeys(deps: Pick<AccountDeps, "db">, session: Session): Promise<Passkey[]> {
  const rows = await listPasskeyRows(deps.db, session.accountId);
  return rows.map(({ id, name, createdAt, lastUsedAt }) => ({ id, name, createdAt, lastUsedAt }));
}

/** What the browser needs to make a new passkey; it is answered to `addPasskey`. */
export async function offerPasskey(deps: AccountDeps, session: Session) {
  const now = deps.clock.now();
  requireFreshProof(session, now);
  const present = await listPasskeyRows(deps.db, session.accountId);
  if (present.length >= PASSKEYS_MAX)
    throw new Refusal("limit_reached", `An account has at most ${PASSKEYS_MAX} passkeys. Remove one first.`);
  const face = faceOf(session.kind);
  const challenge = await makeChallenge(deps.db, {
    purpose: "passkey_add",
    accountId: session.accountId,
    face,
    now,
  });
  const { generateRegistrationOptions } = await loadWebAuthn();
  return generateRegistrationOptions({
    rpName: "Scrip",
    rpID: siteOf(deps.urls, face).id,
    userName: session.email,
    userDisplayName: session.name === "" ? session.email : session.name,
    userID: new Uint8Array(Buffer.from(session.accountId)),
    challenge: new Uint8Array(Buffer.from(challenge, "base64url")),
    timeout: CHALLENGE_LIFE_MS,
    attestationType: "none",
    supportedAlgorithmIDs: [...ALGORITHMS],
    excludeCredentials: present.map(({ id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
}

/** Stores the passkey that the browser made. Returns recovery codes where there were none, to be shown this once. */
export async function addPasskey(
  deps: AccountDeps,
  session: Session,
  input: { answer: string; name?: string | undefined },
  address: string,
): Promise<{ id: string; recoveryCodes: readonly string[] }> {
  const name = checkName(input.name);
  const { accountId } = session;
  const face = faceOf(session.kind);
  const now = deps.clock.now();
  const verified = await verifyNewPasskey(siteOf(deps.urls, face), input.answer, (challenge) =>
    takeChallenge(deps.db, challenge, { purpose: "passkey_add", accountId, face, now }),
  );
  return deps.db.transaction(async (tx) => {
    if (!(await lockAccount(tx, accountId))) throw new Refusal("session_ended", "Sign in again.");
    if ((await listPasskeyRows(tx, accountId)).length >= PASSKEYS_MAX) throw passkeyRefused();
    const [stored] = await insertPasskey(tx, { ...verified, accountId, name, createdAt: now });
    if (!stored) throw passkeyRefused();
    const recoveryCodes = await addMissingRecoveryCodes(deps, tx, accountId);
    await tellFactorChange(deps, tx, session, address, {
      action: "factor.passkey_added",
      sentence: `A passkey named “${name}” was added to your account.`,
    });
    return { id: verified.id, recoveryCodes };
  });
}

export async function removePasskey(
  deps: AccountDeps,
  session: Session,
  id: string,
  address: string,
): Promise<void> {
  requireFreshProof(session, deps.clock.now());
  await deps.db.transaction(async (tx) => {
    await lockAccount(tx, session.accountId);
    const [removed] = id.includes("\0") ? [] : await deletePasskey(tx, session.accountId, id);
    if (!removed) throw new Refusal("not_found", "There is no such passkey.");
    await dropUselessRecoveryCodes(tx, session.accountId);
    await tellFactorChange(deps, tx, session, address, {
      action: "factor.passkey_removed",
      sentence: `The passkey named “${removed.name}” was removed from your account.`,
    });
  });
}

function checkName(text: string | undefined): string {
  const name = text?.trim() || DEFAULT_NAME;
  if (name.length > NAME_MAX_CHARACTERS)
    throw new Refusal(
      "name_invalid",
      `A passkey's name has at most ${NAME_MAX_CHARACTERS} characters.`,
      "name",
    );
  try {
    assertPlainText("a passkey's name", name);
  } catch (error) {
    throw new Refusal("name_invalid", (error as Error).message, "name");
  }
  return name;
}
