import { createHash, createHmac, type KeyObject, randomBytes, timingSafeEqual } from "node:crypto";

const SESSION_BYTES = 32;
const COOKIE_PATTERN = /^[A-Za-z0-9_-]{43}$/;

/** What the cookie holds: 256 random bits. Only its digest is stored. */
export const newCookie = (): string => randomBytes(SESSION_BYTES).toString("base64url");

export const isWellFormedCookie = (cookie: string): boolean => COOKIE_PATTERN.test(cookie);

export const digestCookie = (cookie: string): Buffer => createHash("sha256").update(cookie).digest();

/** The token that forms of this session carry. It follows from the cookie, so it changes with it and is stored nowhere. */
export const formToken = (accountKey: KeyObject, cookie: string): string =>
  createHmac("sha256", accountKey).update(`form\0${cookie}`).digest("base64url");

export function isFormToken(accountKey: KeyObject, cookie: string, token: string): boolean {
  const expected = Buffer.from(formToken(accountKey, cookie));
  const given = Buffer.from(token);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
