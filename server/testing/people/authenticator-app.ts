import { codeAt, fromBase32, stepAt } from "../../src/accounts/factors/totp.ts";

/** What an authenticator app shows at that time for a secret that was typed into it. */
export const codeFor = (typed: string, at: Date): string => codeAt(fromBase32(typed), stepAt(at));
