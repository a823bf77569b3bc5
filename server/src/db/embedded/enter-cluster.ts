import { setTimeout as delay } from "node:timers/promises";
import { writeAccess } from "./access.ts";
import { chooseFreePort, isPortFree } from "./choose-port.ts";
import type { Cluster } from "./cluster.ts";
import { type Lease, takeLease } from "./lease.ts";
import { findPostmaster, type Postmaster, removeStaleLockFile } from "./postmaster.ts";
import { type StartedServer, startServer } from "./start-server.ts";
import { stopProcess } from "./stop-server.ts";

export type Membership = { lease: Lease; port: number; startedHere: boolean };

export type Entry = {
  signal: AbortSignal;
  /** Set if connection strings with this port are already in use. */
  requiredPort?: number;
};

/** What one attempt has learned for the next. */
type Progress = { server: StartedServer | undefined; portTakenSince: number | undefined; obstacle: string };

const START_DEADLINE_MS = 60_000;
const REQUIRED_PORT_DEADLINE_MS = 30_000;
/** A running server can take a while to replay a long log after a crash. */
const RECOVERY_DEADLINE_MS = 300_000;
/** The port can be held by a server of this cluster that is shutting down. */
const PORT_PATIENCE_MS = 1_000;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 250;

/** Joins the running server or starts one, and retries until we hold a lease. */
export async function enterCluster(cluster: Cluster, entry: Entry): Promise<Membership> {
  const begun = Date.now();
  const progress: Progress = { server: undefined, portTakenSince: undefined, obstacle: "" };
  try {
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
      entry.signal.throwIfAborted();
      const postmaster = await findPostmaster(cluster.layout.data);
      const membership =
        postmaster === undefined
          ? await tryToStart(cluster, entry, progress)
          : await tryToJoin(cluster, entry, progress, postmaster);
      if (membership !== undefined) return membership;
      if (Date.now() - begun > deadlineMs(entry, postmaster)) {
        throw new Error(`the embedded PostgreSQL is not available: ${progress.obstacle}`);
      }
      await delay(pauseMs, undefined, { signal: entry.signal });
    }
  } catch (error) {
    // A server without a lease would keep running with no process to stop it.
    if (progress.server !== undefined && !progress.server.hasEnded()) await stopProcess(progress.server.pid);
    throw error;
  }
}

function deadlineMs(entry: Entry, postmaster: Postmaster | undefined): number {
  if (postmaster !== undefined && postmaster.port === (entry.requiredPort ?? postmaster.port)) {
    return RECOVERY_DEADLINE_MS;
  }
  return entry.requiredPort === undefined ? START_DEADLINE_MS : REQUIRED_PORT_DEADLINE_MS;
}

async function tryToJoin(
  cluster: Cluster,
  entry: Entry,
  progress: Progress,
  { pid, port }: Postmaster,
): Promise<Membership | undefined> {
  if (port === undefined) return undefined;
  if (port !== (entry.requiredPort ?? port)) {
    progress.obstacle = `it started on port ${port} instead of ${entry.requiredPort}`;
    return undefined;
  }
  const outcome = await takeLease(cluster.access, port);
  if ("refusal" in outcome) {
    progress.obstacle = `process ${pid} on port ${port} responded "${outcome.refusal}"`;
    return undefined;
  }
  const startedHere = progress.server?.pid === pid;
  if (startedHere) await afterStart(cluster, port, progress.server);
  return { lease: outcome.lease, port, startedHere };
}

/** Starts a server if we have none starting. The next attempts find it by its lock file and join it. */
async function tryToStart(cluster: Cluster, entry: Entry, progress: Progress): Promise<undefined> {
  if (progress.server !== undefined) {
    if (!progress.server.hasEnded()) return;
    const failure = await progress.server.findFailure();
    progress.server = undefined;
    progress.obstacle = failure.reason;
    if (failure.kind === "fatal") throw new Error(`PostgreSQL failed to start: ${failure.reason}`);
  }
  const port = await findPort(cluster, entry, progress);
  if (port === undefined) return;
  if (await removeStaleLockFile(cluster.layout.data)) {
    cluster.log("removed the lock file of a PostgreSQL that no longer runs");
  }
  progress.server = await startServer(cluster, port);
}

/** The last port, unless it stays occupied. Undefined if it is worth another attempt. */
async function findPort(cluster: Cluster, entry: Entry, progress: Progress): Promise<number | undefined> {
  const preferred = entry.requiredPort ?? cluster.access.port;
  if (await isPortFree(preferred)) return preferred;
  progress.obstacle = `port ${preferred} is in use`;
  progress.portTakenSince ??= Date.now();
  if (entry.requiredPort !== undefined || Date.now() - progress.portTakenSince < PORT_PATIENCE_MS) return;
  return chooseFreePort();
}

async function afterStart(cluster: Cluster, port: number, server: StartedServer | undefined): Promise<void> {
  if (await server?.hasRecovered()) {
    cluster.log("PostgreSQL was not shut down cleanly; it recovered the database");
  }
  if (port === cluster.access.port) return;
  cluster.access.port = port;
  await writeAccess(cluster.layout.access, cluster.access, cluster.accounts.owner);
}
