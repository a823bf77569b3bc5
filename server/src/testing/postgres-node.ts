import pg from "pg";
import { connectionStringOf } from "../db/embedded/access.ts";
import type { Cluster } from "../db/embedded/cluster.ts";
import { query, until } from "../db/embedded/embedded-testing.ts";
import { waitUntilGone } from "../db/embedded/process-state.ts";
import { type StartedServer, startServer } from "../db/embedded/start-server.ts";
import { stopServer } from "../db/embedded/stop-server.ts";

/** One server of several, started and stopped by hand; nothing brings it back by itself. */
export type PostgresNode = {
  /** This server alone, and the database that is always there. */
  adminUrl: string;
  /** This server alone, and the database of the test. */
  url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** All its processes end at once, as in a power cut. */
  kill(): Promise<void>;
  /** Makes a primary of a standby, and waits until it is one. */
  promote(): Promise<void>;
};

const GONE_WITHIN_MS = 10_000;

export function postgresNode(cluster: Cluster, port: number): PostgresNode {
  const url = connectionStringOf(cluster.access, port);
  const adminUrl = url.replace(/\/[^/]*$/, "/postgres");
  let server: StartedServer | undefined;
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
      if (!server) throw new Error("it does not run");
      await killAll(server.pid, adminUrl);
    },
    async promote() {
      const [row] = await query<{ promoted: boolean }>(adminUrl, "select pg_promote(true, 20) as promoted");
      if (!row?.promoted) throw new Error("the standby was not promoted");
    },
  };
}

/** The postmaster is halted first, so that no process begins while the others are counted. */
async function killAll(postmasterPid: number, adminUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  client.on("error", () => {});
  await client.connect();
  process.kill(postmasterPid, "SIGSTOP");
  const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity");
  const own = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const others = rows.map(({ pid }) => pid).filter((pid) => pid !== own.rows[0]?.pid);
  for (const pid of [postmasterPid, ...others]) process.kill(pid, "SIGKILL");
  await client.end();
  if (!(await waitUntilGone(postmasterPid, GONE_WITHIN_MS))) throw new Error("PostgreSQL survived SIGKILL");
}
