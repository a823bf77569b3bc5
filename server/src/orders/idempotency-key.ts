import type { FastifyRequest } from "fastify";
import { Problem } from "../lib/problem.ts";

export const IDEMPOTENCY_KEY_MAX_CHARACTERS = 255;
const HEADER = "idempotency-key";
const PRINTABLE_ASCII = /^[\x20-\x7e]{1,255}$/;

/** The Idempotency-Key header: 1 to 255 printable ASCII characters, sent once (CONTRACT 4). */
export function readIdempotencyKey({ raw, headers }: FastifyRequest): string {
  const key = headers[HEADER];
  if (key === undefined || key === "") {
    throw new Problem("idempotency_key_missing", "Send an Idempotency-Key header with every order.");
  }
  if (!isIdempotencyKey(key) || isRepeated(key, raw.rawHeaders)) {
    throw new Problem(
      "idempotency_key_invalid",
      "The Idempotency-Key must be 1 to 255 printable ASCII characters, and the header must be sent once.",
    );
  }
  return key;
}

export const isIdempotencyKey = (key: unknown): key is string =>
  typeof key === "string" && PRINTABLE_ASCII.test(key);

/**
 * A duplicate header arrives as one text with a comma. If that were accepted as a key, a retry whose header a proxy
 * duplicated would place a second order.
 */
const isRepeated = (key: string, rawHeaders: readonly string[]): boolean =>
  key.includes(",") &&
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === HEADER).length > 1;
