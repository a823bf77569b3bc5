import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chown, mkdtemp, open, readdir, readlink, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Account } from "../server/src/db/embedded/run-program.ts";
import { findServerAccount } from "../server/src/db/embedded/server-account.ts";

/** A folder in which everything of a run is kept, and every process that was started in it. */
export type Workplace = {
  folder: string;
  account: Account | undefined;
  /** Starts a program as an unprivileged user, in a process group of its own, with its output in `NAME.log`. */
  start(name: string, file: string, args: readonly string[], env?: Record<string, string>): Promise<Daemon>;
  /** Ends all that still runs, then removes the folder unless it is to be kept. */
  close(keep: boolean): Promise<void>;
};

export type Daemon = {
  pid: number;
  hasEnded(): boolean;
  ended: Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
};

const ALL_GONE_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 50;

export async function openWorkplace(): Promise<Workplace> {
  const folder = await mkdtemp(join(tmpdir(), "scrip-ha-"));
  // PostgreSQL refuses to run as root. In root's own folder it runs as nobody.
  const { account } = await findServerAccount(folder);
  if (account) await chown(folder, account.uid, account.gid);
  const daemons = new Set<Daemon>();
  return {
    folder,
    account,
    async start(name, file, args, env = {}) {
      const log = await open(join(folder, `${name}.log`), "a");
      const child = spawn(file, args, {
        cwd: folder,
        env: {
          PATH: process.env.PATH ?? "/usr/bin:/bin",
          HOME: folder,
          TZ: "UTC",
          LC_ALL: "C.UTF-8",
          ...env,
        },
        stdio: ["ignore", log.fd, log.fd],
        detached: true,
        ...account,
      });
      await once(child, "spawn").finally(() => log.close());
      const daemon = describeDaemon(child);
      daemons.add(daemon);
      void daemon.ended.then(() => daemons.delete(daemon));
      return daemon;
    },
    async close(keep) {
      for (const daemon of daemons) daemon.signal("SIGKILL");
      await killAllIn(folder);
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

function describeDaemon(child: ChildProcess): Daemon {
  const pid = child.pid ?? 0;
  let hasEnded = false;
  const ended = once(child, "exit").then(() => {
    hasEnded = true;
  });
  return {
    pid,
    ended,
    hasEnded: () => hasEnded,
    signal(signal) {
      if (!hasEnded) sendSignal(-pid, signal);
    },
  };
}

/** PostgreSQL leaves the process group that started it, but never its data folder. */
export async function pidsIn(folder: string): Promise<number[]> {
  const names = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const inside = await Promise.all(
    names.map(async (name) => {
      const cwd = await readlink(`/proc/${name}/cwd`).catch(() => "");
      return cwd === folder || cwd.startsWith(`${folder}/`);
    }),
  );
  return names
    .filter((_, index) => inside[index])
    .map(Number)
    .filter((pid) => pid !== process.pid);
}

async function killAllIn(folder: string): Promise<void> {
  for (const deadlineMs = performance.now() + ALL_GONE_WITHIN_MS; performance.now() < deadlineMs; ) {
    const pids = await pidsIn(folder);
    if (pids.length === 0) return;
    for (const pid of pids) sendSignal(pid, "SIGKILL");
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  throw new Error(`processes in ${folder} survived SIGKILL`);
}

/** A process that has just ended needs no signal. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}
