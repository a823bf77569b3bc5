import { cp, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { connectionStringOf, DATABASE_NAME, readAccess } from "../server/src/db/embedded/access.ts";
import { chooseFreePort, LOOPBACK } from "../server/src/db/embedded/choose-port.ts";
import { layoutOf } from "../server/src/db/embedded/cluster.ts";
import { findBinaries } from "../server/src/db/embedded/find-binaries.ts";
import { findServerAccount } from "../server/src/db/embedded/server-account.ts";
import { query } from "../server/testing/database/embedded-testing.ts";
import { type FaultProxy, startFaultProxy } from "../server/testing/database/fault-proxy.ts";
import { type PostgresNode, postgresNode } from "../server/testing/database/postgres-node.ts";
import { seedCluster } from "../server/testing/database/seed-cluster.ts";
import { eventually } from "../server/testing/eventually.ts";
import { copyRunning } from "./copy-running.ts";
import { type Closers, type Database, SETTINGS } from "./database.ts";

export type Host = { node: PostgresNode; data: string; proxy: FaultProxy };

const STANDBY_NAME = "storm_standby";
const PRIVATE_DIRECTORY = 0o700;
const STARTS_MAX = 5;
const PATIENCE = { deadlineMs: 60_000, everyMs: 100 };
/** A primary that was killed is followed again at once. */
const FOLLOWING = {
  ...SETTINGS,
  shared_buffers: "128MB",
  wal_keep_size: "512MB",
  wal_retrieve_retry_interval: "100ms",
  hot_standby: "on",
};

/**
 * A primary that commits nothing without its standby, and the standby. After a failover the old primary is made again from a copy of
 * the new one and follows it. Until it does, the new one commits alone, as a cluster manager would have it.
 */
export async function openTwoHosts(home: string, closers: Closers): Promise<Database> {
  const ports = [await chooseFreePort(), await chooseFreePort()] as const;
  const roots = ["first", "second"].map((name) => join(home, name));
  const [first, second] = [await makeHost(roots, 0, ports), await makeHost(roots, 1, ports)];
  for (const { proxy } of [first, second]) closers.push(proxy.close);
  let [primary, standby] = [first, second];
  // What is down already needs no stop.
  closers.push(() => Promise.all([first, second].map(({ node }) => node.stop().catch(() => {}))));
  await primary.node.start();
  await query(primary.node.adminUrl, `create database ${DATABASE_NAME}`);
  await follow(primary, standby);

  const failOver = async (isFrozen: boolean): Promise<void> => {
    const old = primary;
    if (isFrozen) await old.node.freeze();
    else await old.node.kill();
    await standby.node.promote();
    [primary, standby] = [standby, old];
    await waitForStandby(primary, false);
    if (isFrozen) {
      old.node.thaw();
      await old.node.kill();
    }
    await follow(primary, old);
  };
  return {
    connectionString: listed([first.node.url, second.node.url]),
    proxied: listed([first.proxy.connectionString, second.proxy.connectionString]),
    proxies: [first.proxy, second.proxy],
    proxy: () => primary.proxy,
    kill: () => killAndStart(primary.node),
    async restart() {
      await primary.node.stop();
      await startAgain(primary.node);
    },
    pair: { failOver, killStandby: () => killAndStart(standby.node) },
  };
}

async function makeHost(
  roots: readonly string[],
  index: 0 | 1,
  ports: readonly [number, number],
): Promise<Host> {
  const layout = layoutOf(roots[index] ?? "");
  // One cluster, so that both have the same credentials.
  if (index === 0) await seedCluster(layout.root);
  else {
    await mkdir(layout.database, { recursive: true, mode: PRIVATE_DIRECTORY });
    await cp(layoutOf(roots[0] ?? "").access, layout.access);
  }
  const access = await readAccess(layout.access);
  const accounts = await findServerAccount(layout.root);
  const source = `host=${LOOPBACK} port=${ports[1 - index]} user=${access.user} password=${access.password}`;
  const settings = { ...FOLLOWING, primary_conninfo: `${source} application_name=${STANDBY_NAME}` };
  const binaries = await findBinaries(accounts.account);
  const node = postgresNode({ layout, accounts, binaries, access, settings, log: () => {} }, ports[index]);
  const proxy = await startFaultProxy(connectionStringOf(access, ports[index]));
  return { node, data: layout.data, proxy };
}

/** A connection string with all hosts, as an operator writes it. */
function listed(urls: readonly string[]): string {
  const [first = "", second = ""] = urls;
  return `${first.replace(/\/scrip$/, `,${new URL(second).host}$&`)}?target_session_attrs=read-write`;
}

/** Makes the standby from a copy of the primary, and lets commits wait for it once it has caught up. */
async function follow(primary: Host, standby: Host): Promise<void> {
  await rm(standby.data, { recursive: true, force: true });
  await copyRunning(primary.node.adminUrl, primary.data, standby.data);
  await startAgain(standby.node);
  await untilStreaming(primary, "state = 'streaming'");
  await waitForStandby(primary, true);
  await untilStreaming(primary, "sync_state = 'sync'");
}

const untilStreaming = ({ node }: Host, condition: string) =>
  eventually(
    "the standby follows",
    async () => {
      const rows = await query(node.adminUrl, `select from pg_stat_replication where ${condition}`);
      return rows.length > 0 ? true : undefined;
    },
    PATIENCE,
  );

async function waitForStandby({ node }: Host, isWaiting: boolean): Promise<void> {
  // Not replicated, and commits of others may wait: this one must not.
  const names = isWaiting ? STANDBY_NAME : "";
  await query(node.adminUrl, `alter system set synchronous_standby_names = '${names}'`);
  await query(node.adminUrl, "select pg_reload_conf()");
}

async function killAndStart(node: PostgresNode): Promise<void> {
  await node.kill();
  await startAgain(node);
}

/** Children of a killed server can keep its memory for a moment. */
async function startAgain(node: PostgresNode): Promise<void> {
  for (let starts = 1; ; starts += 1) {
    try {
      return await node.start();
    } catch (error) {
      if (starts === STARTS_MAX) throw error;
    }
  }
}
