import { createHmac, timingSafeEqual } from "node:crypto";

/** RFC 6238 with what every authenticator app understands: SHA-1, six digits, thirty seconds. */
const STEP_SECONDS = 30;
const DIGITS = 6;
/** Clocks differ: the step before and the one after are accepted too. */
const STEPS_EITHER_SIDE = 1;
export const TOTP_SECRET_BYTES = 20;

export const stepAt = (at: Date): number => Math.floor(at.getTime() / 1_000 / STEP_SECONDS);

/** The code of one time step (RFC 4226, section 5.3). */
export function codeAt(secretBytes: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const mac = createHmac("sha1", secretBytes).update(counter).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = (mac.readUInt32BE(offset) & 0x7fffffff) % 10 ** DIGITS;
  return number.toString().padStart(DIGITS, "0");
}

/** The step that the code belongs to, among those near this time and later than the last one used; undefined for a wrong code. */
export function findStep(
  secretBytes: Uint8Array,
  code: string,
  at: Date,
  lastStep: number,
): number | undefined {
  const given = Buffer.from(code);
  if (!/^\d{6}$/.test(code)) return undefined;
  let found: number | undefined;
  // Every step is compared, so that the time tells nothing of which one matched.
  for (let near = -STEPS_EITHER_SIDE; near <= STEPS_EITHER_SIDE; near += 1) {
    const step = stepAt(at) + near;
    if (timingSafeEqual(Buffer.from(codeAt(secretBytes, step)), given) && step > lastStep) found ??= step;
  }
  return found;
}

/** What a QR code shows to an authenticator app. */
export const totpUri = (secretBytes: Uint8Array, issuer: string, email: string): string =>
  `otpauth://totp/${encodeURIComponent(`${issuer}:${email}`)}?` +
  new URLSearchParams({
    secret: base32(secretBytes),
    issuer,
    algorithm: "SHA1",
    digits: String(DIGITS),
    period: String(STEP_SECONDS),
  })
    .toString()
    .replaceAll("+", "%20");

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** RFC 4648 without padding, as apps take it when it is typed. */
export function base32(bytes: Uint8Array): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= 5; bits -= 5) text += BASE32.charAt((value >>> (bits - 5)) & 31);
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + BASE32.charAt((value << (5 - bits)) & 31);
}

/** The bytes of what was typed into an app. */
export function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (character) => BASE32.indexOf(character).toString(2).padStart(5, "0")).join(
    "",
  );
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
