import { join } from "node:path";
import { openEmbedded } from "../server/src/db/embedded/open-embedded.ts";
import { stopServer } from "../server/src/db/embedded/stop-server.ts";
import { dataPathOf, postmasterPid } from "../server/testing/database/embedded-testing.ts";
import { type FaultProxy, startFaultProxy } from "../server/testing/database/fault-proxy.ts";
import { seedCluster } from "../server/testing/database/seed-cluster.ts";

/** The database of a storm, on one host or on two. */
export type Database = {
  /** Leads to the primary, without a proxy. */
  connectionString: string;
  /** The same through the proxies, one before each host. */
  proxied: string;
  proxies: readonly FaultProxy[];
  /** The proxy before the primary. */
  proxy(): FaultProxy;
  /** kill -9 of the primary, which comes back. */
  kill(): Promise<unknown>;
  /** The primary restarts and ends every connection. */
  restart(): Promise<unknown>;
  /** What only two hosts can do. */
  pair: { failOver(isFrozen: boolean): Promise<void>; killStandby(): Promise<void> } | undefined;
};

export type Closers = (() => unknown)[];

/** So that WAL alone does not fill the small disk. */
export const SETTINGS = { max_wal_size: "256MB", max_connections: "150" };
/** Without fsync a power cut loses what was acknowledged. Such a run must report it. */
const WITHOUT_FSYNC = { ...SETTINGS, fsync: "off" };

/** The embedded PostgreSQL, which restarts after each kill. */
export async function openOneHost(home: string, hasFsync: boolean, closers: Closers): Promise<Database> {
  const dataDir = join(home, ".scrip");
  await seedCluster(dataDir);
  const settings = hasFsync ? SETTINGS : WITHOUT_FSYNC;
  const server = await openEmbedded({ dataDir, log: () => {}, settings });
  closers.push(() => stopServer(dataPathOf(dataDir)), server.close);
  const proxy = await startFaultProxy(server.connectionString);
  closers.push(proxy.close);
  const signal = async (name: NodeJS.Signals) => process.kill(await postmasterPid(dataDir), name);
  return {
    connectionString: server.connectionString,
    proxied: proxy.connectionString,
    proxies: [proxy],
    proxy: () => proxy,
    kill: () => signal("SIGKILL"),
    restart: () => signal("SIGINT"),
    pair: undefined,
  };
}
