import { normalizeEmail } from "../check-person.ts";
import { Refusal } from "../refusal.ts";
import { isCommonPassword } from "./common-passwords.ts";

export const PASSWORD_MIN_CHARACTERS = 12;
export const PASSWORD_MAX_BYTES = 1_024;

/** Refuses a password that is too short, too long, made of the email, or one that is tried first. */
export function checkNewPassword(password: string, email: string): void {
  const text = password.normalize("NFC");
  if (!text.isWellFormed()) throw unfit("The password holds a character that cannot be stored.");
  if ([...text].length < PASSWORD_MIN_CHARACTERS)
    throw unfit(`Use at least ${PASSWORD_MIN_CHARACTERS} characters.`);
  if (Buffer.byteLength(text) > PASSWORD_MAX_BYTES)
    throw unfit(`Use at most ${PASSWORD_MAX_BYTES.toLocaleString("en")} bytes.`);
  if (text.toLowerCase().includes(normalizeEmail(email)))
    throw unfit("The password must not contain your email address.");
  if (isCommonPassword(text, normalizeEmail(email).split("@")))
    throw unfit(
      "This password is easy to guess. Use several unrelated words, or let a password manager make one.",
    );
}

/** What cannot be anyone's password is not hashed at its full length. */
export const cutPassword = (password: string): string =>
  Buffer.byteLength(password) > PASSWORD_MAX_BYTES ? "" : password;

const unfit = (message: string): Refusal => new Refusal("password_unfit", message, "password");
