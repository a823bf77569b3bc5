import { findPostmaster } from "./postmaster.ts";
import { waitUntilGone } from "./process-state.ts";
import { errorCode } from "./system-error.ts";

/** A fast shutdown writes a final checkpoint. */
const FAST_SHUTDOWN_MS = 30_000;
/** An immediate shutdown leaves recovery to the next start. Nothing acknowledged is lost. */
const IMMEDIATE_SHUTDOWN_MS = 15_000;

/** Stops the server of this data directory and waits until it has ended. Returns whether it has. */
export async function stopServer(dataDirectory: string): Promise<boolean> {
  const postmaster = await findPostmaster(dataDirectory);
  return postmaster === undefined || stopProcess(postmaster.pid);
}

/**
 * Never SIGKILL: children of a killed postmaster survive, and a second server next to them would corrupt the data.
 */
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
