import type { Db } from "../db/database.ts";
import { errorCodeOf } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Log } from "../lib/log.ts";
import { claimNotice, markSent } from "./letter-queries.ts";
import type { SendMail } from "./smtp-mail.ts";

export type NoticeDeps = { db: Db; clock: Clock; log: Log; sendMail: SendMail };

/** Longer than a mail may take to be sent, so that nobody takes it up meanwhile. */
const FIRST_PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 6 * 3_600_000;

/**
 * Sends one notice that is due, if there is one; true when there may be another. One that cannot be sent is tried again,
 * less and less often, for ever. It may arrive twice, never not at all.
 */
export async function sendNotices({ db, clock, log, sendMail }: NoticeDeps): Promise<boolean> {
  const notice = await claimNotice(db, clock.now(), { firstMs: FIRST_PAUSE_MS, maxMs: PAUSE_MAX_MS });
  if (!notice) return false;
  const { id, recipient, subject, body, createdAt, tries } = notice;
  const noticeId = id.toString();
  try {
    await sendMail({ id: `notice-${noticeId}`, recipient, subject, body, date: createdAt });
  } catch (error) {
    // Mail servers quote addresses and what they were sent, so of their errors the kind alone is told.
    log.warn({ noticeId, tries, kind: kindOf(error) }, "a notice could not be sent; it is tried again later");
    return true;
  }
  await markSent(db, id, clock.now());
  return true;
}

const kindOf = (error: unknown): string => {
  const code = errorCodeOf(error);
  return /^E[A-Z]{2,20}$/.test(code) ? code : "unknown";
};
