import { createHmac, type KeyObject } from "node:crypto";
import { parseIp } from "../../lib/ip.ts";
import type { AccountDeps } from "../account-deps.ts";
import { clearGuesses, type GuessLimit, takeBackGuess, takeGuess } from "./guess-queries.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The fifth wrong guess locks an account for a while. One guess an hour is forgiven. */
export const ACCOUNT_LIMIT: GuessLimit = { freeTries: 5, forgiveMs: HOUR_MS };
/** Many people may share an address. */
export const ADDRESS_LIMIT: GuessLimit = { freeTries: 30, forgiveMs: MINUTE_MS };
/** Letters to one address. */
export const RESET_LIMIT: GuessLimit = { freeTries: 3, forgiveMs: HOUR_MS };
/** Long enough to make guessing useless, short enough that nobody can be kept out for a day. */
const LOCK = { firstMs: 30_000, maxMs: HOUR_MS };
/** After so long nothing is left of a count. */
export const GUESSES_FORGOTTEN_MS = 24 * HOUR_MS;

/**
 * What is guessed: the password of an email, the code of an account, the proof of someone who is signed in, or how many letters
 * an email gets. They are counted apart: strangers who guess a password must not keep its person from a step up.
 */
export type GuessKind = "password" | "code" | "proof" | "reset";

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
  const isAllowed =
    (await takeGuess(db, byAddress, ADDRESS_LIMIT, now, LOCK)) &&
    (await takeGuess(db, byTarget, kind === "reset" ? RESET_LIMIT : ACCOUNT_LIMIT, now, LOCK));
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
