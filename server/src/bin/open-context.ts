import type { Config } from "../config.ts";
import { checkServer } from "../db/check-server.ts";
import { connectDatabase, type Db, type ServingDb } from "../db/database.ts";
import { refuseTransactionPooler } from "../db/detect-pooler.ts";
import { openDataDir } from "../db/embedded/open-data-dir.ts";
import { openEmbedded } from "../db/embedded/open-embedded.ts";
import { isMigrated, migrate } from "../db/migrate.ts";
import { hasServerSecrets, loadServerSecrets, type ServerSecrets } from "../keys/server-secrets.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Secret, secret } from "../lib/secret.ts";
import { type CodeVault, createCodeVault } from "../vault/code-vault.ts";
import { type Keyring, openKeyring } from "../vault/keyring.ts";
import { openMissingWallets } from "../wallet/open-wallets.ts";

/** What every command works with: the settings, the database and the clock. */
export type Context = {
  config: Config;
  db: ServingDb;
  /** The same database without a statement timeout, for work that takes longer than a request may. */
  patientDb: ServingDb;
  clock: Clock;
  secrets: ServerSecrets;
  keyring: Keyring;
  codeVault: CodeVault;
  /** Of the embedded PostgreSQL, if that is the database. */
  embeddedUrl: Secret<string> | undefined;
  close(): Promise<void>;
};

export type ContextOptions = {
  /** Whether to create a database if there is none. Only start, demo and migrate do. */
  mayCreate: boolean;
  applicationName: string;
  poolSize: number;
  /** 0 is off: the operator's imports and migrations take the time that they take. */
  statementTimeoutMs: number;
  /** Receives messages about the embedded database. */
  tell: (message: string) => void;
  onConnectionLost: (error: Error) => void;
  /** The embedded PostgreSQL of another process, which owns it: this one connects and does not join. */
  embeddedUrl?: Secret<string> | undefined;
  /** Set by a serving process, which checks its database more strictly. Receives what the operator should change. */
  warn?: (message: string) => void;
};

/** Opens the database (DATABASE_URL or the embedded one), migrates it and loads the server's secrets. */
export async function openContext(config: Config, options: ContextOptions): Promise<Context> {
  if (config.masterKeys.length === 0 && options.mayCreate) await openDataDir(config.dataDir);
  const database = await openDatabase(config, options);
  try {
    const { risks, outdated } = await checkServer(database.db);
    if (options.warn) {
      if (config.production && risks.length > 0) throw new Error(sayUnsafe(risks.join("; ")));
      if (config.databaseUrl) await refuseTransactionPooler(config.databaseUrl.reveal());
    }
    if (!options.mayCreate) await refuseEmptyDatabase(database.db);
    // Before anything is written: if the master key is lost, the database must stay unchanged.
    const keyring = await openKeyring(config.masterKeys, config.dataDir, {
      mayCreate: !(await hasServerSecrets(database.db)),
    });
    await database.migrate();
    const secrets = await loadServerSecrets(database.db, keyring.masterKeys());
    await openMissingWallets(database.db, systemClock);
    const codeVault = createCodeVault(keyring);
    for (const risk of risks) options.warn?.(sayUnsafe(risk));
    if (outdated) options.warn?.(outdated);
    const { db, patientDb, embeddedUrl, close } = database;
    return { config, clock: systemClock, secrets, keyring, codeVault, db, patientDb, embeddedUrl, close };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** An unsafe database can lose acknowledged orders: refused in production, a warning elsewhere. */
const sayUnsafe = (what: string): string => `the database is not safe for production: ${what}`;

/** Two jobs at once, each with a transaction, a second one and the renewal of its lease. Connections are opened when they are needed. */
const PATIENT_POOL_SIZE = 6;

type OpenDatabase = Pick<Context, "db" | "patientDb" | "embeddedUrl" | "close"> & {
  migrate(): Promise<string[]>;
};

export async function openDatabase(config: Config, options: ContextOptions): Promise<OpenDatabase> {
  if (config.databaseUrl) {
    return connect(config.databaseUrl.reveal(), options);
  }
  if (options.embeddedUrl) return connect(options.embeddedUrl.reveal(), options);
  const { dataDir } = config;
  const embedded = await openEmbedded({ dataDir, mayCreate: options.mayCreate, log: options.tell });
  const connected = connect(embedded.connectionString, options);
  return {
    ...connected,
    embeddedUrl: secret(embedded.connectionString),
    async close() {
      await connected.close();
      await embedded.close();
    },
  };
}

function connect(connectionString: string, options: ContextOptions): OpenDatabase {
  const db = connectDatabase({ ...options, connectionString });
  const patientDb =
    options.statementTimeoutMs === 0
      ? db
      : connectDatabase({ ...options, connectionString, poolSize: PATIENT_POOL_SIZE, statementTimeoutMs: 0 });
  return {
    db,
    patientDb,
    embeddedUrl: undefined,
    // Migrating a large table takes longer than a request may.
    migrate: () => migrate(patientDb),
    async close() {
      await db.close();
      if (patientDb !== db) await patientDb.close();
    },
  };
}

async function refuseEmptyDatabase(db: Db): Promise<void> {
  if (!(await isMigrated(db)))
    throw new Error(
      "this database has no Scrip tables; run scrip migrate or scrip start first, or change DATABASE_URL",
    );
}
