import { createHmac, type KeyObject } from "node:crypto";
import { parseIp } from "../../lib/ip.ts";
import type { AccountDeps } from "../account-deps.ts";
import { clearGuesses, takeBackGuess, takeGuess } from "./guess-queries.ts";

/** The fifth wrong guess locks the account for a while. */
export const ACCOUNT_FREE_TRIES = 5;
/** Many people may share an address. */
export const ADDRESS_FREE_TRIES = 30;
/** Letters to one address. */
export const RESET_FREE_TRIES = 3;
export const LOCK_FIRST_MS = 30_000;
/** Long enough to make guessing useless, short enough that nobody can be kept out for a day. */
export const LOCK_MAX_MS = 3_600_000;
/** A subject that nobody tried for so long starts over. */
export const GUESSES_FORGOTTEN_MS = 24 * 3_600_000;

/** What is guessed: passwords of an email, codes of an account, letters to an email. */
export type GuessKind = "password" | "code" | "reset";

const LOCK = { firstMs: LOCK_FIRST_MS, maxMs: LOCK_MAX_MS, forgetMs: GUESSES_FORGOTTEN_MS };

export type Guess = {
  isAllowed: boolean;
  /** To be called when the guess was right. */
  succeed(): Promise<void>;
};

/**
 * Counts a guess against the address it comes from and against what is guessed, known or not. An address that is locked counts
 * nothing against an account, so it cannot keep anyone else out.
 */
export async function beginGuess(
  deps: Pick<AccountDeps, "db" | "clock" | "accountKey">,
  kind: GuessKind,
  target: string,
  address: string,
): Promise<Guess> {
  const { db, accountKey } = deps;
  const now = deps.clock.now();
  const byAddress = subjectOf(accountKey, `address ${networkOf(address)}`);
  const byTarget = subjectOf(accountKey, `${kind} ${target}`);
  const freeTries = kind === "reset" ? RESET_FREE_TRIES : ACCOUNT_FREE_TRIES;
  const isAllowed =
    (await takeGuess(db, { subject: byAddress, freeTries: ADDRESS_FREE_TRIES }, now, LOCK)) &&
    (await takeGuess(db, { subject: byTarget, freeTries }, now, LOCK));
  return {
    isAllowed,
    async succeed() {
      await clearGuesses(db, byTarget);
      // Not cleared: otherwise an attacker could reset the count of an address by signing in to an account of their own.
      await takeBackGuess(db, byAddress, now);
    },
  };
}

/** After a reset the password is another one, and what was guessed before no longer matters. */
export async function forgetGuesses(
  deps: Pick<AccountDeps, "db" | "accountKey">,
  kind: GuessKind,
  target: string,
): Promise<void> {
  await clearGuesses(deps.db, subjectOf(deps.accountKey, `${kind} ${target}`));
}

const subjectOf = (key: KeyObject, text: string): Buffer =>
  createHmac("sha256", key).update(`guess\0${text}`).digest();

/** One customer of a provider has 2^64 addresses of IPv6: they count as one. */
export function networkOf(address: string): string {
  const bytes = parseIp(address);
  if (!bytes) return "unknown";
  return Buffer.from(bytes.length === 4 ? bytes : bytes.subarray(0, 8)).toString("hex");
}
