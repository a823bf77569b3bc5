import { createHmac, type KeyObject, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

/** Live or sandbox. The two share nothing but the catalog (CONTRACT 7). */
export type KeyEnvironment = "live" | "test";

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const RANDOM_CHARACTERS = 32;
const CHECKSUM_CHARACTERS = 6;
const KEY_PATTERN = /^(sc_(?:live|test)_[0-9A-Za-z]{32})([0-9A-Za-z]{6})$/;

export const keyPrefix = (environment: KeyEnvironment): string => `sc_${environment}_`;

/** What can be shown of a key: its prefix and its last four characters. */
export const keyHint = (key: string): string => `${key.slice(0, key.lastIndexOf("_") + 1)}…${key.slice(-4)}`;

/**
 * A new key: prefix, 32 random base62 characters and 6 characters of CRC-32, so that secret scanners can recognize
 * it offline.
 */
export function generateKey(environment: KeyEnvironment): string {
  let body = keyPrefix(environment);
  for (let index = 0; index < RANDOM_CHARACTERS; index += 1)
    body += ALPHABET.charAt(randomInt(ALPHABET.length));
  return body + checksum(body);
}

export function isWellFormedKey(text: string): boolean {
  const match = KEY_PATTERN.exec(text);
  return match !== null && checksum(match[1] ?? "") === match[2];
}

/**
 * What the database stores of a key. Without the pepper the digest is useless to anyone who reads the table. The
 * pepper is a KeyObject because creating one from a buffer for each digest took 17 of 20 µs.
 */
export const digestKey = (pepper: KeyObject, key: string): Buffer =>
  createHmac("sha256", pepper).update(key).digest();

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let index = 0; index < CHECKSUM_CHARACTERS; index += 1) {
    text = ALPHABET.charAt(rest % ALPHABET.length) + text;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
