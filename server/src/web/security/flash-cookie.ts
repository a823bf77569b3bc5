import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";
import type { Tone } from "../parts/chip.ts";

/** One sentence about what was just done, carried to the next page by a cookie that nobody else can write. */
export type SignedFlash = { tone: Tone; text: string };

export const FLASH_COOKIE = "scrip-flash";
export const FLASH_MAX_AGE_SECONDS = 60;
export const FLASH_MAX_CHARACTERS = 300;
const MAC_BYTES = 16;
const TONES: readonly Tone[] = ["good", "wait", "warn", "bad", "quiet"];

/** The sentence is bound to the session, so that it cannot be shown to anyone else. */
export function sealFlash(key: KeyObject, sessionToken: string, { tone, text }: SignedFlash): string {
  const body = Buffer.from(JSON.stringify([tone, text.slice(0, FLASH_MAX_CHARACTERS)]));
  return `${body.toString("base64url")}.${mac(key, sessionToken, body).toString("base64url")}`;
}

export function openFlash(
  key: KeyObject,
  sessionToken: string,
  sealed: string | undefined,
): SignedFlash | undefined {
  const [text = "", given = ""] = (sealed ?? "").split(".");
  const body = Buffer.from(text, "base64url");
  const sent = Buffer.from(given, "base64url");
  if (body.length === 0 || sent.length !== MAC_BYTES) return undefined;
  if (!timingSafeEqual(mac(key, sessionToken, body), sent)) return undefined;
  const [tone, sentence] = JSON.parse(body.toString()) as [Tone, string];
  return TONES.includes(tone) ? { tone, text: sentence } : undefined;
}

const mac = (key: KeyObject, sessionToken: string, body: Buffer): Buffer =>
  createHmac("sha256", key).update(`flash\0${sessionToken}\0`).update(body).digest().subarray(0, MAC_BYTES);
