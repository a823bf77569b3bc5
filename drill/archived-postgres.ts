import { execFile } from "node:child_process";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { DATABASE_NAME, readAccess } from "../server/src/db/embedded/access.ts";
import { chooseFreePort } from "../server/src/db/embedded/choose-port.ts";
import { type Cluster, layoutOf } from "../server/src/db/embedded/cluster.ts";
import { findBinaries } from "../server/src/db/embedded/find-binaries.ts";
import type { Account } from "../server/src/db/embedded/run-program.ts";
import { findServerAccount } from "../server/src/db/embedded/server-account.ts";
import { query } from "../server/testing/database/embedded-testing.ts";
import { type PostgresNode, postgresNode } from "../server/testing/database/postgres-node.ts";
import { seedCluster } from "../server/testing/database/seed-cluster.ts";

/** A PostgreSQL that archives its log, and what can be restored from the archive. */
export type ArchivedPostgres = {
  primary: PostgresNode;
  /** A base backup while it serves. */
  backUp(): Promise<void>;
  /** Archives what has been written so far. */
  archiveNow(): Promise<void>;
  /** A new server from the base backup and the archive, up to a time. */
  restoreTo(time: Date): Promise<PostgresNode>;
  /** A new server from the base backup, the archive and the log that the dead primary left, up to its end. */
  restoreToTheEnd(): Promise<PostgresNode>;
};

const PRIVATE_DIRECTORY = 0o700;
const COPY_TIMEOUT_MS = 300_000;
const SETTINGS = { shared_buffers: "64MB", max_wal_size: "512MB" };
const run = (program: string, ...args: string[]) =>
  promisify(execFile)(program, args, { timeout: COPY_TIMEOUT_MS });

/** Everything is below `home`. What runs at the end is given to `atEnd`. */
export async function startArchivedPostgres(
  home: string,
  atEnd: (close: () => Promise<unknown>) => void,
): Promise<ArchivedPostgres> {
  const archive = join(home, "archive");
  const backup = join(home, "backup");
  const first = await describe(join(home, "primary"));
  const { account } = first.accounts;
  await seedCluster(first.layout.root);
  const access = await readAccess(first.layout.access);
  await mkdir(archive, { mode: PRIVATE_DIRECTORY });
  await give(archive, account);
  const archiving = {
    archive_mode: "on",
    archive_command: `cp %p ${archive}/.part && mv ${archive}/.part ${archive}/%f`,
  };
  const startNode = async (cluster: Cluster): Promise<PostgresNode> => {
    const node = postgresNode(cluster, await chooseFreePort());
    atEnd(node.stop);
    await node.start();
    return node;
  };
  const primary = await startNode({ ...first, access, settings: { ...SETTINGS, ...archiving } });
  await query(primary.adminUrl, `create database ${DATABASE_NAME}`);

  const restore = async (name: string, settings: Record<string, string>, log?: string) => {
    const cluster = await describe(join(home, name));
    await mkdir(cluster.layout.database, { recursive: true, mode: PRIVATE_DIRECTORY });
    await run("cp", "-a", backup, cluster.layout.data);
    if (log !== undefined) await run("cp", "-a", `${log}/.`, join(cluster.layout.data, "pg_wal"));
    await writeFile(join(cluster.layout.data, "recovery.signal"), "");
    await give(join(cluster.layout.data, "recovery.signal"), account);
    const recovery = {
      restore_command: `cp ${archive}/%f %p`,
      recovery_target_action: "promote",
      ...settings,
    };
    return startNode({ ...cluster, access, settings: { ...SETTINGS, ...recovery } });
  };
  return {
    primary,
    backUp: () => backUp(primary, first.layout.data, backup, account),
    archiveNow: async () => {
      await query(primary.adminUrl, "select pg_switch_wal()");
    },
    restoreTo: (time) =>
      restore("restored", { recovery_target_time: time.toISOString().replace("Z", "+00").replace("T", " ") }),
    restoreToTheEnd: () => restore("lost", {}, join(first.layout.data, "pg_wal")),
  };
}

/** Start and stop of a backup belong to one connection. The log of the meantime is in the archive. */
async function backUp(
  node: PostgresNode,
  data: string,
  backup: string,
  account: Account | undefined,
): Promise<void> {
  const client = new pg.Client({ connectionString: node.adminUrl });
  await client.connect();
  try {
    await client.query("select pg_backup_start('drill', true)");
    // Files may change while they are copied. The log repairs that.
    await run("cp", "-a", data, backup).catch((error: Error) => {
      if (!/No such file or directory/.test(error.message)) throw error;
    });
    const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop(true)");
    for (const name of ["postmaster.pid", "postmaster.opts"]) await run("rm", "-f", join(backup, name));
    await run("find", join(backup, "pg_wal"), "-type", "f", "-delete");
    await writeFile(join(backup, "backup_label"), rows[0]?.labelfile ?? "");
    await give(join(backup, "backup_label"), account);
  } finally {
    await client.end();
  }
}

async function describe(root: string): Promise<Omit<Cluster, "access">> {
  await mkdir(root, { recursive: true, mode: PRIVATE_DIRECTORY });
  const accounts = await findServerAccount(root);
  const binaries = await findBinaries(accounts.account);
  return { layout: layoutOf(root), accounts, binaries, settings: {}, log: () => {} };
}

async function give(path: string, account: Account | undefined): Promise<void> {
  if (account !== undefined) await chown(path, account.uid, account.gid);
}
