import type { Config } from "../config.ts";
import { checkServer } from "../db/check-server.ts";
import { connectDatabase, type ServingDb } from "../db/database.ts";
import { openEmbedded } from "../db/embedded/open-embedded.ts";
import { migrate } from "../db/migrate.ts";
import { loadServerSecrets, type ServerSecrets } from "../keys/server-secrets.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type CodeVault, createCodeVault } from "../vault/code-vault.ts";
import { type Keyring, openKeyring } from "../vault/keyring.ts";
import { openMissingWallets } from "../wallet/open-wallets.ts";

/** What every command works with: the settings, the database and the clock. */
export type Context = {
  config: Config;
  db: ServingDb;
  clock: Clock;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  close(): Promise<void>;
};

export type ContextOptions = {
  applicationName: string;
  poolSize: number;
  /** 0 is off: the operator's imports and migrations take the time that they take. */
  statementTimeoutMs: number;
  /** Human one-liners about what the embedded database does. */
  tell: (message: string) => void;
  onConnectionLost: (error: Error) => void;
};

/** Opens the database (its own server, or the embedded one), brings it up to date and loads the server's secrets. */
export async function openContext(config: Config, options: ContextOptions): Promise<Context> {
  const database = await openDatabase(config, options);
  try {
    await checkServer(database.db);
    await migrate(database.db);
    const keyring = await openKeyring(config.masterKeys, config.dataDir);
    const secrets = await loadServerSecrets(database.db, keyring.masterKeys());
    await openMissingWallets(database.db, systemClock);
    const codeVault = createCodeVault(keyring);
    return { config, clock: systemClock, secrets, keyring, codeVault, ...database };
  } catch (error) {
    await database.close();
    throw error;
  }
}

export async function openDatabase(
  config: Config,
  options: ContextOptions,
): Promise<{ db: ServingDb; close(): Promise<void> }> {
  if (config.databaseUrl) {
    const db = connect(config.databaseUrl.reveal(), options);
    return { db, close: () => db.close() };
  }
  const embedded = await openEmbedded({ dataDir: config.dataDir, log: options.tell });
  const db = connect(embedded.connectionString, options);
  return {
    db,
    async close() {
      await db.close();
      await embedded.close();
    },
  };
}

const connect = (connectionString: string, options: ContextOptions): ServingDb =>
  connectDatabase({ ...options, connectionString });
