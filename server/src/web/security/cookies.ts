/** Whether pages are reached by https decides the name: `__Host-` lets no other host and no plain http set the cookie. */
export const sessionCookieName = (isSecure: boolean, name = "scrip"): string =>
  isSecure ? `__Host-${name}` : name;

export type CookieOptions = {
  isSecure: boolean;
  /** Until the browser ends when it is absent; 0 takes the cookie away. */
  maxAgeSeconds?: number;
};

const COOKIES_MAX = 100;
/** What RFC 6265 allows in a value, without quotes. */
const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/;
const COOKIE_NAME = /^[A-Za-z0-9_-]+$/;

/** For `Set-Cookie`: never readable by scripts, sent with links from elsewhere but not with their forms. */
export function serialiseCookie(
  name: string,
  value: string,
  { isSecure, maxAgeSeconds }: CookieOptions,
): string {
  if (!COOKIE_NAME.test(name) || !COOKIE_VALUE.test(value))
    throw new Error("a cookie holds a character that it must not hold");
  return [
    `${name}=${value}`,
    "Path=/",
    "HttpOnly",
    "SameSite=Lax",
    ...(isSecure ? ["Secure"] : []),
    ...(maxAgeSeconds === undefined ? [] : [`Max-Age=${maxAgeSeconds}`]),
  ].join("; ");
}

/**
 * The value of a cookie, or undefined. One that was sent twice with different values is none: someone else may have set one
 * of the two, and which one cannot be known.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  let found: string | undefined;
  for (const part of (header ?? "").split(";", COOKIES_MAX)) {
    const equals = part.indexOf("=");
    if (equals < 0 || part.slice(0, equals).trim() !== name) continue;
    const value = part.slice(equals + 1).trim();
    if (found !== undefined && found !== value) return undefined;
    found = value;
  }
  return found;
}
