import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { spawnNode } from "../server/testing/processes/spawn-node.ts";

export type Running = { child: ChildProcess; url: string; residentMb: () => number; stop(): Promise<void> };

/** No measurement takes so long. */
const RUN_TIMEOUT_MS = 3_600_000;

/** Starts a server as a separate process and waits until it prints its address. */
export async function startProcess(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Running> {
  const {
    process: child,
    finished,
    prints,
  } = spawnNode(file, args, {
    env: { ...process.env, ...env },
    timeoutMs: RUN_TIMEOUT_MS,
  });
  const [url] = await prints(/http:\/\/localhost:\d+/);
  return {
    child,
    // Loopback by number: name resolution is not measured.
    url: url.replace("localhost", "127.0.0.1"),
    residentMb: () => readResidentMb(child.pid ?? 0),
    async stop() {
      child.kill("SIGTERM");
      const { stderr } = await finished;
      process.stderr.write(stderr);
    },
  };
}

function readResidentMb(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(match?.[1]) / 1024);
}
