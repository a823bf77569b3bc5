import { findPostmaster } from "./postmaster.ts";
import { waitUntilGone } from "./process-state.ts";
import { errorCode } from "./system-error.ts";

/** A fast shutdown writes a last checkpoint. */
const FAST_SHUTDOWN_MS = 30_000;
/** An immediate one leaves the work to the next start's recovery; nothing acknowledged is lost. */
const IMMEDIATE_SHUTDOWN_MS = 15_000;

/** Stops the server of this data directory and waits until it is gone. Answers whether it is. */
export async function stopServer(dataDirectory: string): Promise<boolean> {
  const postmaster = await findPostmaster(dataDirectory);
  return postmaster === undefined || stopProcess(postmaster.pid);
}

/** Never SIGKILL: children of a killed postmaster live on, and a server beside them would ruin the data. */
export async function stopProcess(pid: number): Promise<boolean> {
  signal(pid, "SIGINT");
  if (await waitUntilGone(pid, FAST_SHUTDOWN_MS)) return true;
  signal(pid, "SIGQUIT");
  return waitUntilGone(pid, IMMEDIATE_SHUTDOWN_MS);
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (errorCode(error) !== "ESRCH") throw error;
  }
}
