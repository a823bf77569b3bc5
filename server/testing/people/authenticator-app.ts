import { codeAt, stepAt } from "../../src/accounts/factors/totp.ts";

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** What an authenticator app shows at that time for a secret that was typed into it. */
export const codeFor = (typed: string, at: Date): string => codeAt(decode(typed), stepAt(at));

function decode(text: string): Buffer {
  const bits = Array.from(text, (character) => BASE32.indexOf(character).toString(2).padStart(5, "0")).join(
    "",
  );
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
