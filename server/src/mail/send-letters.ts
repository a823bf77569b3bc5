import type { Db } from "../db/database.ts";
import { errorCodeOf } from "../db/database-errors.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { claimLetter, endLetter } from "./letter-queries.ts";
import type { SendMail } from "./smtp-mail.ts";

export type LetterDeps = { db: Db; clock: Clock; log: Log; sendMail: SendMail };

/** Longer than sending a mail can take, so that no other process takes the letter meanwhile. */
const FIRST_PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 6 * 3_600_000;

/**
 * Sends one letter that is due, if there is one. Returns whether there may be another. A letter that cannot be sent is
 * tried again, less and less often, until it expires; without an expiry it is never given up. Sent at least once.
 */
export async function sendLetters({ db, clock, log, sendMail }: LetterDeps): Promise<boolean> {
  const now = clock.now();
  const letter = await claimLetter(db, now, { firstMs: FIRST_PAUSE_MS, maxMs: PAUSE_MAX_MS });
  if (!letter) return false;
  const { id, recipient, subject, text, html, createdAt, expiresAt, tries } = letter;
  const letterId = id.toString();
  if (expiresAt && expiresAt <= now) {
    await endLetter(db, id, "expired", now);
    log.warn({ letterId, tries: tries - 1 }, "a letter expired before it could be sent");
    return true;
  }
  try {
    await sendMail({ id: `letter-${letterId}`, recipient, subject, text, html, date: createdAt });
  } catch (error) {
    // Mail servers quote addresses and what they were sent, so only the kind of the error is logged.
    log.warn({ letterId, tries, kind: kindOf(error) }, "could not send a letter; trying again later");
    return true;
  }
  await endLetter(db, id, "sent", clock.now());
  return true;
}

const kindOf = (error: unknown): string => {
  const code = errorCodeOf(error);
  return /^E[A-Z]{2,20}$/.test(code) ? code : "unknown";
};
