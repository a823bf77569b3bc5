import { chmod, chown, cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { TestContext } from "node:test";
import { connectionStringOf, DATABASE_NAME, readAccess } from "../../src/db/embedded/access.ts";
import { chooseFreePort, LOOPBACK } from "../../src/db/embedded/choose-port.ts";
import { type Cluster, layoutOf } from "../../src/db/embedded/cluster.ts";
import { findBinaries } from "../../src/db/embedded/find-binaries.ts";
import type { Account } from "../../src/db/embedded/run-program.ts";
import { findServerAccount } from "../../src/db/embedded/server-account.ts";
import { eventually } from "../eventually.ts";
import { makeDataDir, query } from "./embedded-testing.ts";
import { type PostgresNode, postgresNode } from "./postgres-node.ts";
import { seedCluster } from "./seed-cluster.ts";

/** A primary that commits nothing without its standby, and the standby. */
export type ReplicatedPostgres = {
  /** Lists both, the primary first. */
  connectionString: string;
  primary: PostgresNode;
  standby: PostgresNode;
  /** Waits until the standby follows, so that commits succeed. */
  untilInStep(): Promise<void>;
};

const PRIVATE_DIRECTORY = 0o700;
const STANDBY_NAME = "scrip_standby";

/** The settings of both: two small servers on one machine, with enough WAL for a standby that was away. */
const SETTINGS = { shared_buffers: "64MB", wal_keep_size: "512MB", max_wal_size: "1GB" };

/** Two PostgreSQL clusters on this machine, removed after the test. */
export async function startReplicatedPostgres(t: TestContext): Promise<ReplicatedPostgres> {
  const [primaryCluster, standbyCluster] = [await describe(t), await describe(t)];
  await seedCluster(primaryCluster.layout.root);
  const access = await readAccess(primaryCluster.layout.access);
  await copyStopped(primaryCluster.layout.data, standbyCluster.layout.data, standbyCluster.accounts.account);
  const ports = { primary: await chooseFreePort(), standby: await chooseFreePort() };
  const primary = postgresNode(
    { ...primaryCluster, access, settings: { ...SETTINGS, synchronous_standby_names: STANDBY_NAME } },
    ports.primary,
  );
  const source = `host=${LOOPBACK} port=${ports.primary} user=${access.user} password=${access.password}`;
  const following = { primary_conninfo: `${source} application_name=${STANDBY_NAME}` };
  const standby = postgresNode(
    { ...standbyCluster, access, settings: { ...SETTINGS, ...following } },
    ports.standby,
  );
  await Promise.all([primary.start(), standby.start()]);
  const untilInStep = () => waitUntilInStep(primary);
  await untilInStep();
  await query(primary.adminUrl, `create database ${DATABASE_NAME}`);
  const single = connectionStringOf(access, ports.primary);
  return {
    connectionString: `${single.replace(/\/scrip$/, `,${LOOPBACK}:${ports.standby}$&`)}?target_session_attrs=read-write`,
    primary,
    standby,
    untilInStep,
  };
}

async function describe(t: TestContext): Promise<Omit<Cluster, "access">> {
  const root = await makeDataDir(t);
  await mkdir(root, { recursive: true, mode: PRIVATE_DIRECTORY });
  const accounts = await findServerAccount(root);
  const binaries = await findBinaries(accounts.account);
  return { layout: layoutOf(root), accounts, binaries, settings: {}, log: () => {} };
}

/** A server that has never run is copied file by file. A server started from the copy can follow it. */
async function copyStopped(from: string, to: string, account: Account | undefined): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: PRIVATE_DIRECTORY });
  await cp(from, to, { recursive: true });
  await chmod(to, PRIVATE_DIRECTORY);
  await writeFile(join(to, "standby.signal"), "");
  if (account === undefined) return;
  await chown(to, account.uid, account.gid);
  const names = await readdir(to, { recursive: true });
  await Promise.all(names.map((name) => chown(join(to, name), account.uid, account.gid)));
}

async function waitUntilInStep(primary: PostgresNode): Promise<void> {
  await eventually("the standby follows", async () => {
    const rows = await query(
      primary.adminUrl,
      "select from pg_stat_replication where sync_state = 'sync' and state = 'streaming'",
    );
    return rows.length > 0 ? true : undefined;
  });
}
