import type { AccountDeps } from "../../src/accounts/account-deps.ts";
import { createPasswordHashing } from "../../src/accounts/passwords/password-hashing.ts";
import type { ServerSecrets } from "../../src/keys/server-secrets.ts";
import { queueLetter } from "../../src/mail/queue-letter.ts";

/** What the verbs of accounts work with, with cheap hashes. */
export const testAccounts = (
  deps: Pick<AccountDeps, "db" | "clock" | "keyring"> & { secrets: Pick<ServerSecrets, "accountKey"> },
  url = "https://api.scrip.example",
): AccountDeps => ({
  db: deps.db,
  clock: deps.clock,
  keyring: deps.keyring,
  accountKey: deps.secrets.accountKey,
  hashing: createPasswordHashing({ memoryKib: 8, passes: 1, parallelism: 1 }),
  queueLetter: (tx, letter) => queueLetter(tx, letter, deps.clock.now()),
  urls: { dashboard: url, console: "http://localhost:8081" },
});
