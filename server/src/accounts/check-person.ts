import { domainToASCII } from "node:url";
import { isPlainText } from "../lib/plain-text.ts";
import { type AccountKind, type Role, rolesOf } from "./permissions.ts";
import { Refusal } from "./refusal.ts";

const EMAIL_MAX_CHARACTERS = 254;
const LOCAL_PART_MAX_CHARACTERS = 64;
const NAME_MAX_CHARACTERS = 200;
/** No quotes, brackets, commas or spaces: what a mail program could take for more than one address. */
const EMAIL_PATTERN = /^[^\s@"(),:;<>[\]\\]+@[^\s@"(),:;<>[\]\\]+$/u;

/** What nobody's address is as long as; the rest of what was typed is not looked at. */
const TYPED_MAX_CHARACTERS = 320;

/** The one form in which an address is stored and looked up. Whatever was typed, it can be looked up. */
export const normalizeEmail = (text: string): string =>
  text
    .normalize("NFC")
    .trim()
    .toLowerCase()
    .slice(0, TYPED_MAX_CHARACTERS)
    .replaceAll("\0", "\ufffd")
    .toWellFormed();

export function checkEmail(text: string): string {
  const email = normalizeEmail(text);
  const [local = "", domain = ""] = email.split("@");
  if (
    email.length > EMAIL_MAX_CHARACTERS ||
    local.length > LOCAL_PART_MAX_CHARACTERS ||
    !EMAIL_PATTERN.test(email) ||
    !isPlainText(text.trim()) ||
    domainToASCII(domain) === ""
  )
    throw new Refusal("email_invalid", "Enter an email address such as name@example.com.", "email");
  return email;
}

export function checkPersonName(text: string): string {
  const name = text.normalize("NFC").trim();
  if (name.length > NAME_MAX_CHARACTERS)
    throw new Refusal("name_invalid", `A name has at most ${NAME_MAX_CHARACTERS} characters.`, "name");
  if (!isPlainText(name))
    throw new Refusal(
      "name_invalid",
      "A name must not hold line breaks, control or invisible format characters.",
      "name",
    );
  return name;
}

export function checkRole(kind: AccountKind, text: string): Role {
  const role = rolesOf(kind).find((known) => known === text);
  if (!role)
    throw new Refusal("role_invalid", `The role must be one of ${rolesOf(kind).join(", ")}.`, "role");
  return role;
}
