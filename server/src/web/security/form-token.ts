import { randomBytes, timingSafeEqual } from "node:crypto";

/** No session's token is longer. */
const TOKEN_MAX_BYTES = 128;

/**
 * The session's token as a form carries it: different in each page, because pages are compressed, and what repeats in a
 * compressed page can be found out from its length.
 */
export function maskToken(token: string): string {
  const bytes = Buffer.from(token);
  const mask = randomBytes(bytes.length);
  return Buffer.concat([mask, xor(bytes, mask)]).toString("base64url");
}

/** Whether what a form sent is a mask of the session's token. The time it takes says nothing about how much was right. */
export function isTokenOf(given: string | undefined, token: string): boolean {
  if (given === undefined || token === "" || given.length > TOKEN_MAX_BYTES * 3) return false;
  const bytes = Buffer.from(given, "base64url");
  const expected = Buffer.from(token);
  if (bytes.length !== expected.length * 2) return false;
  return timingSafeEqual(xor(bytes.subarray(expected.length), bytes), expected);
}

const xor = (bytes: Buffer, mask: Buffer): Buffer =>
  Buffer.from(bytes.map((byte, index) => byte ^ (mask[index] ?? 0)));
