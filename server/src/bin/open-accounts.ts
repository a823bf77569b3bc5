import type { AccountDeps } from "../accounts/account-deps.ts";
import { createPasswordHashing } from "../accounts/passwords/password-hashing.ts";
import type { Face } from "../accounts/permissions.ts";
import { consoleUrlOf, publicUrlOf } from "../config.ts";
import { queueLetter } from "../mail/queue-letter.ts";
import type { Context } from "./open-context.ts";
import { findServedAddresses } from "./served-addresses.ts";

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
    dashboard: publicUrlOf(config),
    console: consoleUrlOf(config),
  },
});

/** `guessed`: the faces that no setting and no server has named. */
export type CommandAccounts = AccountDeps & { guessed: readonly Face[] };

/**
 * The same for a command. Its links lead to where a setting of the command says, or else to where a server was last started on this
 * database.
 */
export async function openCommandAccounts(context: Context): Promise<CommandAccounts> {
  const { config } = context;
  const accounts = openAccounts(context);
  const asked = {
    ...(config.publicUrl !== undefined || config.portWasAsked ? { dashboard: accounts.urls.dashboard } : {}),
    ...(config.consoleUrl !== undefined || (config.consolePortWasAsked && config.consolePort !== 0)
      ? { console: accounts.urls.console }
      : {}),
  };
  const known = { ...(await findServedAddresses(context.db)), ...asked };
  const guessed = (["dashboard", "console"] as const).filter((face) => known[face] === undefined);
  return { ...accounts, urls: { ...accounts.urls, ...known }, guessed };
}
