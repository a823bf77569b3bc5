import { assertPlainText } from "../lib/plain-text.ts";

const NAME_MAX_CHARACTERS = 200;
export const REASON_MAX_CHARACTERS = 300;
const PRICE_LIST_PATTERN = /^[A-Za-z0-9._:-]{1,64}$/;
const EMAIL_PATTERN = /^[^\s@]{1,64}@[^\s@]{1,255}$/;

/** The name, trimmed. */
export function checkName(text: string): string {
  const name = text.trim();
  if (name.length === 0 || name.length > NAME_MAX_CHARACTERS) {
    throw new RangeError(`a reseller's name has 1 to ${NAME_MAX_CHARACTERS} characters`);
  }
  assertPlainText("a reseller's name", name);
  return name;
}

export function checkEmail(email: string): string {
  if (!EMAIL_PATTERN.test(email)) throw new RangeError(`"${email}" is not an e-mail address`);
  return email;
}

/** Why the operator does something to a reseller. The reseller sees it. */
export function checkReason(text: string): string {
  const reason = text.trim();
  if (reason.length === 0 || reason.length > REASON_MAX_CHARACTERS)
    throw new RangeError(`a reason has 1 to ${REASON_MAX_CHARACTERS} characters`);
  assertPlainText("a reason", reason);
  return reason;
}

export function checkPriceList(priceList: string): string {
  if (PRICE_LIST_PATTERN.test(priceList)) return priceList;
  throw new RangeError(`"${priceList}" is not a price list's name: 1 to 64 of A-Z a-z 0-9 . _ : -`);
}
