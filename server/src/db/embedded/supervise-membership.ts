import { setTimeout as delay } from "node:timers/promises";
import type { Cluster } from "./cluster.ts";
import { enterCluster, type Membership } from "./enter-cluster.ts";
import { takeLease } from "./lease.ts";
import { findPostmaster } from "./postmaster.ts";
import { stopServer } from "./stop-server.ts";
import { errorMessage } from "./system-error.ts";

const RETRY_MS = 1_000;

/**
 * Keeps the database running while we use it: takes a lost lease again, if necessary with a new server, on the same
 * port because connection strings are in use. Leaves and resolves when `closing` is aborted.
 */
export async function superviseMembership(
  cluster: Cluster,
  first: Membership,
  closing: AbortSignal,
): Promise<void> {
  let membership: Membership | undefined = first;
  while (membership !== undefined) {
    if (!(await isLostBeforeClosing(membership, closing))) return leave(cluster, membership);
    membership = await comeBack(cluster, membership.port, closing);
  }
}

function isLostBeforeClosing(membership: Membership, closing: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    if (closing.aborted) return resolve(false);
    const onClosing = () => resolve(false);
    closing.addEventListener("abort", onClosing, { once: true });
    void membership.lease.lost.then(() => {
      closing.removeEventListener("abort", onClosing);
      resolve(true);
    });
  });
}

/** Undefined if we were asked to leave before it was back. */
async function comeBack(
  cluster: Cluster,
  port: number,
  closing: AbortSignal,
): Promise<Membership | undefined> {
  let lastProblem = "";
  while (!closing.aborted) {
    try {
      const membership = await enterCluster(cluster, { signal: closing, requiredPort: port });
      cluster.log(
        membership.startedHere
          ? `PostgreSQL stopped; it runs again on port ${port}`
          : `lost the connection to PostgreSQL on port ${port}; reconnected`,
      );
      return membership;
    } catch (error) {
      if (closing.aborted) return undefined;
      const problem = errorMessage(error);
      if (problem !== lastProblem) cluster.log(`PostgreSQL stopped and is not back yet: ${problem}`);
      lastProblem = problem;
      await delay(RETRY_MS, undefined, { signal: closing }).catch(() => {});
    }
  }
  return undefined;
}

async function leave(cluster: Cluster, membership: Membership): Promise<void> {
  const { data } = cluster.layout;
  let lease = membership.lease;
  let isLast: boolean;
  try {
    isLast = await lease.giveUp();
  } catch {
    // The connection broke just now. If the server is alive, ask it once more; if not, there is nothing to stop.
    const postmaster = await findPostmaster(data);
    if (postmaster?.port === undefined) return;
    const outcome = await takeLease(cluster.access, postmaster.port);
    if ("refusal" in outcome) return;
    lease = outcome.lease;
    isLast = await lease.giveUp().catch(() => false);
  }
  // Stopped while we still hold the lock that keeps new processes waiting.
  if (isLast && !(await stopServer(data))) cluster.log("PostgreSQL did not stop; it is left running");
  await lease.end();
}
