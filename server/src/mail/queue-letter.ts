import sql from "sql-template-tag";
import type { Tx } from "../db/database.ts";

/** What a room writes. Its text and HTML say the same; a mail program shows one of them. */
export type Letter = {
  /** Why it is written, such as an invitation's id. There is one letter for each cause. */
  cause: string;
  to: string;
  subject: string;
  text: string;
  html?: string | undefined;
  /** From then on it is not worth sending, such as when its link has expired. */
  expiresAt?: Date | undefined;
  /** It holds something that must not be kept, such as a link to sign in. Its bodies are erased once it has ended. */
  holdsSecret?: boolean | undefined;
};

const SUBJECT_MAX_CHARACTERS = 500;
const BODY_MAX_CHARACTERS = 256 * 1024;
const ADDRESS = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u;
const LINE_BREAK_OR_CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

export const isMailAddress = (text: string): boolean => ADDRESS.test(text);

/**
 * Writes a letter in the caller's transaction: it is sent if, and only if, what it tells happened. Returns false if this
 * cause has a letter already. Throws for an address or a subject that could add a header or a recipient.
 */
export async function queueLetter(tx: Tx, letter: Letter, now: Date): Promise<boolean> {
  const { to, subject, text, html = "" } = letter;
  if (!isMailAddress(to)) throw new RangeError("the recipient of a letter must be one e-mail address");
  if (LINE_BREAK_OR_CONTROL.test(subject))
    throw new RangeError("the subject of a letter must not hold line breaks or control characters");
  if (subject.length > SUBJECT_MAX_CHARACTERS)
    throw new RangeError(`the subject of a letter has at most ${SUBJECT_MAX_CHARACTERS} characters`);
  if (text.length > BODY_MAX_CHARACTERS || html.length > BODY_MAX_CHARACTERS)
    throw new RangeError(`the body of a letter has at most ${BODY_MAX_CHARACTERS} characters`);
  return insertLetter(tx, letter, now);
}

const insertLetter = async (tx: Tx, letter: Letter, now: Date): Promise<boolean> => {
  const inserted = await tx.rows(sql`
    insert into letters (cause, recipient, subject, body_text, body_html, holds_secret, expires_at, created_at, next_try_at)
    values (${letter.cause}, ${letter.to}, ${letter.subject}, ${letter.text}, ${letter.html ?? null},
            ${letter.holdsSecret ?? false}, ${letter.expiresAt ?? null}, ${now}, ${now})
    on conflict (cause) do nothing
    returning id`);
  return inserted.length > 0;
};
