import pg from "pg";
import { connectionStringOf } from "../../src/db/embedded/access.ts";
import type { Cluster } from "../../src/db/embedded/cluster.ts";
import { waitUntilGone } from "../../src/db/embedded/process-state.ts";
import { type StartedServer, startServer } from "../../src/db/embedded/start-server.ts";
import { stopServer } from "../../src/db/embedded/stop-server.ts";
import { query, until } from "./embedded-testing.ts";

/** One of several servers, started and stopped manually. Nothing restarts it automatically. */
export type PostgresNode = {
  /** The database that always exists, on this server only. */
  adminUrl: string;
  /** The test's database, on this server only. */
  url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** All its processes end at once, as in a power cut. */
  kill(): Promise<void>;
  /** All its processes freeze and stay silent, as on a hung machine, until it is thawed. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Promotes a standby and waits until it is the primary. */
  promote(): Promise<void>;
};

const GONE_WITHIN_MS = 10_000;

export function postgresNode(cluster: Cluster, port: number): PostgresNode {
  const url = connectionStringOf(cluster.access, port);
  const adminUrl = url.replace(/\/[^/]*$/, "/postgres");
  let server: StartedServer | undefined;
  let frozen: readonly number[] = [];
  // A run that is told to end leaves no server behind.
  process.once("exit", () => {
    if (server && !server.hasEnded()) signalOne(server.pid, "SIGQUIT");
  });
  return {
    url,
    adminUrl,
    async start() {
      const started = await startServer(cluster, port);
      server = started;
      await until(async () => {
        if (started.hasEnded()) throw new Error((await started.findFailure()).reason);
        return query(adminUrl, "select");
      });
    },
    async stop() {
      await stopServer(cluster.layout.data);
    },
    async kill() {
      if (!server) throw new Error("it is not running");
      await signalAll(server.pid, adminUrl, "SIGKILL");
      if (!(await waitUntilGone(server.pid, GONE_WITHIN_MS))) throw new Error("PostgreSQL survived SIGKILL");
    },
    async freeze() {
      if (!server) throw new Error("it is not running");
      frozen = await signalAll(server.pid, adminUrl, "SIGSTOP");
    },
    thaw() {
      for (const pid of frozen) signalOne(pid, "SIGCONT");
      frozen = [];
    },
    async promote() {
      const [row] = await query<{ promoted: boolean }>(adminUrl, "select pg_promote(true, 20) as promoted");
      if (!row?.promoted) throw new Error("the standby was not promoted");
    },
  };
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}

/**
 * The postmaster is stopped first, so that no process starts while the others are collected. The process that this asks gets the
 * signal too, and nobody waits for it: it could need a lock that one of the others still holds.
 */
async function signalAll(postmasterPid: number, adminUrl: string, signal: NodeJS.Signals): Promise<number[]> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on("error", () => {});
  await client.connect();
  process.kill(postmasterPid, "SIGSTOP");
  const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity");
  const pids = [postmasterPid, ...rows.map(({ pid }) => pid)];
  // A connection that ends meanwhile takes its process along.
  for (const pid of pids) signalOne(pid, signal);
  void client.end().catch(() => {});
  return pids;
}
