import { randomUUID } from "node:crypto";
import type { Letter } from "./queue-letter.ts";

export type LetterParts = {
  to: string;
  /** What it tells of. It gets a unique end, because the outbox has one letter for each cause. */
  cause: string;
  expiresAt?: Date | undefined;
  holdsSecret?: boolean | undefined;
  subject: string;
  /** One string for each paragraph. What others wrote in it is text, also in the HTML. */
  paragraphs: readonly string[];
  /** One link, shown as a button and as an address. */
  action?: { label: string; url: string };
  /** What to do when the mail was not expected. */
  footer: string;
};

const SUBJECT_MAX_CHARACTERS = 150;

/** The same words as plain text and as HTML. No images, no remote styles, no links but the one. */
export function composeLetter(parts: LetterParts): Letter {
  const { to, cause, subject, paragraphs, action, footer, expiresAt, holdsSecret } = parts;
  const text = [...paragraphs, ...(action ? [`${action.label}:\n${action.url}`] : []), footer];
  return {
    to,
    cause: `${cause} ${randomUUID()}`,
    expiresAt,
    holdsSecret,
    subject: oneLine(subject).slice(0, SUBJECT_MAX_CHARACTERS),
    text: `${text.map(withoutControls).join("\n\n")}\n`,
    html: toHtml(paragraphs, action, footer),
  };
}

function toHtml(paragraphs: readonly string[], action: LetterParts["action"], footer: string): string {
  const body = paragraphs.map(
    (paragraph) => `<p style="margin:0 0 16px">${escapeHtml(paragraph).replaceAll("\n", "<br>")}</p>`,
  );
  const button = action
    ? [
        `<p style="margin:24px 0"><a href="${escapeHtml(action.url)}" style="display:inline-block;padding:10px 18px;border-radius:6px;background:#0e6b4c;color:#ffffff;text-decoration:none">${escapeHtml(action.label)}</a></p>`,
        `<p style="margin:0 0 16px;font-size:13px;color:#555555;word-break:break-all">${escapeHtml(action.url)}</p>`,
      ]
    : [];
  return `<!doctype html>
<html lang="en">
<body style="margin:0;padding:24px;font:15px/1.5 system-ui,sans-serif;color:#1a1a1a">
<div style="max-width:560px">
${[...body, ...button].join("\n")}
<p style="margin:24px 0 0;font-size:13px;color:#555555">${escapeHtml(footer)}</p>
</div>
</body>
</html>
`;
}

const escapeHtml = (plain: string): string =>
  withoutControls(plain)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** Control and format characters could hide or reorder what is read. */
const withoutControls = (text: string): string =>
  text.replaceAll(/(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, " ");

const oneLine = (text: string): string => withoutControls(text).replaceAll("\n", " ");
