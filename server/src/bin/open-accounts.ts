import type { AccountDeps } from "../accounts/account-deps.ts";
import { createPasswordHashing } from "../accounts/passwords/password-hashing.ts";
import { consoleUrlOf } from "../config.ts";
import { queueLetter } from "../mail/queue-letter.ts";
import type { Context } from "./open-context.ts";

/** What the verbs of accounts work with. */
export const openAccounts = ({ config, db, clock, keyring, secrets }: Context): AccountDeps => ({
  db,
  clock,
  keyring,
  accountKey: secrets.accountKey,
  hashing: createPasswordHashing(),
  queueLetter: async (tx, letter) => {
    // Without a mail server nobody takes the letter, and its link must not wait in the database. The command prints the link.
    if (letter.holdsSecret && config.smtpUrl === undefined) return;
    await queueLetter(tx, letter, clock.now());
  },
  urls: {
    dashboard: config.publicUrl ?? `http://localhost:${config.port}`,
    console: consoleUrlOf(config),
  },
});
