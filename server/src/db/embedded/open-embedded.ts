import { stat } from "node:fs/promises";
import { connectionStringOf, readAccess } from "./access.ts";
import { type Cluster, layoutOf } from "./cluster.ts";
import { createCluster } from "./create-cluster.ts";
import { enterCluster } from "./enter-cluster.ts";
import { findBinaries } from "./find-binaries.ts";
import { openDataDir } from "./open-data-dir.ts";
import { findServerAccount } from "./server-account.ts";
import { superviseMembership } from "./supervise-membership.ts";
import { errorCode } from "./system-error.ts";

export type EmbeddedOptions = {
  /** The database lives in its subdirectory `db`. */
  dataDir: string;
  /** Whether to create a database if there is none. Defaults to true. */
  mayCreate?: boolean;
  /** Receives one line for each event of interest to an operator. */
  log: (message: string) => void;
  /** Additional PostgreSQL settings. */
  settings?: Readonly<Record<string, string>>;
};

export type EmbeddedDatabase = {
  connectionString: string;
  startedHere: boolean;
  /** Leaves. The last process to leave stops PostgreSQL. */
  close(): Promise<void>;
};

/**
 * Opens the PostgreSQL in this directory: creates it the first time, joins it if another process runs it, or starts
 * it. Restarts it if it dies while open.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const cluster = await prepareCluster(options);
  const closing = new AbortController();
  const membership = await enterCluster(cluster, { signal: closing.signal });
  const supervision = superviseMembership(cluster, membership, closing.signal);
  let closed: Promise<void> | undefined;
  return {
    connectionString: connectionStringOf(cluster.access, membership.port),
    startedHere: membership.startedHere,
    close: () => {
      closing.abort();
      closed ??= supervision;
      return closed;
    },
  };
}

async function prepareCluster(options: EmbeddedOptions): Promise<Cluster> {
  if (options.mayCreate === false && !(await exists(layoutOf(options.dataDir).database))) {
    throw new Error(
      `no Scrip database in ${options.dataDir}; create one with scrip start, or set DATA_DIR or DATABASE_URL`,
    );
  }
  const root = await openDataDir(options.dataDir);
  const layout = layoutOf(root);
  const accounts = await findServerAccount(root);
  const binaries = await findBinaries(accounts.account);
  if (!(await exists(layout.database))) {
    options.log(`creating the database in ${layout.database}`);
    await createCluster(layout, binaries, accounts);
  }
  const credentials = await readAccess(layout.access);
  return {
    layout,
    binaries,
    accounts,
    access: credentials,
    settings: options.settings ?? {},
    log: options.log,
  };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (errorCode(error) === "ENOENT" || errorCode(error) === "ENOTDIR") return false;
    throw error;
  }
}
