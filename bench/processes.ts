import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

export type Running = { child: ChildProcess; url: string; residentMb: () => number; stop(): Promise<void> };

const START_TIMEOUT_MS = 60_000;

/** Starts a server as a separate process and waits until it prints its address. */
export async function startProcess(
  file: string,
  args: readonly string[],
  env: Record<string, string>,
): Promise<Running> {
  const child = spawn(process.execPath, [file, ...args], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await firstAddress(child);
  return {
    child,
    url,
    residentMb: () => readResidentMb(child.pid ?? 0),
    async stop() {
      if (child.exitCode !== null) return;
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

async function firstAddress(child: ChildProcess): Promise<string> {
  const lines = createInterface({ input: child.stdout ?? process.stdin });
  const timer = setTimeout(() => child.kill("SIGKILL"), START_TIMEOUT_MS);
  try {
    for await (const line of lines) {
      const url = /http:\/\/localhost:\d+/.exec(line)?.[0];
      // Loopback by number: name resolution is not measured.
      if (url) return url.replace("localhost", "127.0.0.1");
    }
  } finally {
    clearTimeout(timer);
  }
  throw new Error("the process ended before it was ready");
}

function readResidentMb(pid: number): number {
  const match = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Math.round(Number(match?.[1]) / 1024);
}
