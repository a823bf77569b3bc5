import { Refusal } from "../refusal.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A session that is not used for so long has ended. */
export const SESSION_IDLE_MS = 12 * HOUR_MS;
/** However much it is used, and however often it is renewed. */
export const SESSION_MAX_MS = 7 * 24 * HOUR_MS;
/** How often the time of the last request is written. */
export const SEEN_EVERY_MS = MINUTE_MS;
/** For how long a password, a code or a passkey counts as fresh proof. */
export const PROOF_MS = 5 * MINUTE_MS;
/** An account has no more living sessions than this; the oldest end first. */
export const SESSIONS_MAX = 50;

/** A session lives that was seen and made after these times. */
export const sessionBounds = (now: Date): { seenAfter: Date; createdAfter: Date } => ({
  seenAfter: new Date(now.getTime() - SESSION_IDLE_MS),
  createdAfter: new Date(now.getTime() - SESSION_MAX_MS),
});

export const hasFreshProof = (session: { provedAt: Date }, now: Date): boolean =>
  now.getTime() - session.provedAt.getTime() < PROOF_MS;

/** For every page but those that add a factor or sign out: a session that must add a factor sees nothing else. */
export function requireFactorAdded(session: { mustAddFactor: boolean }): void {
  if (session.mustAddFactor)
    throw new Refusal("factor_needed", "Add an authenticator app or a passkey to go on.");
}

/** For what a stranger at an open browser must not do: codes, live keys, secrets, people, money. */
export function requireFreshProof(session: { provedAt: Date }, now: Date): void {
  if (!hasFreshProof(session, now))
    throw new Refusal(
      "proof_needed",
      "Confirm that it is you: enter your password or a code, or use a passkey.",
    );
}
