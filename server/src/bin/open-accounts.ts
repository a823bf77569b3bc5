import type { AccountDeps } from "../accounts/account-deps.ts";
import { createPasswordHashing } from "../accounts/passwords/password-hashing.ts";
import type { Context } from "./open-context.ts";

/** What the verbs of accounts work with, in a command. */
export const openAccounts = ({ config, db, clock, keyring, secrets }: Context): AccountDeps => ({
  db,
  clock,
  keyring,
  accountKey: secrets.accountKey,
  hashing: createPasswordHashing(),
  queueLetter: async () => {},
  urls: {
    dashboard: config.publicUrl ?? `http://localhost:${config.port}`,
    console: config.consoleUrl,
  },
});
