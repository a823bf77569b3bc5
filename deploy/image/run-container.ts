import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { BuiltImage } from "./build-image.ts";

export type Ended = { code: number | null; stdout: string; stderr: string; elapsedMs: number };

export type Container = {
  /** Waits until it has printed that, and fails when it ends before. */
  printed(text: string): Promise<void>;
  /** What the system says about process 1 of the container. */
  readStatus(): Promise<string>;
  /** Sends the image's stop signal to process 1 and waits for the end. */
  stop(): Promise<Ended>;
  /** Ends it at once, if it has not ended. */
  kill(): void;
  ended: Promise<Ended>;
};

type Settings = Readonly<Record<string, string>>;

const RUN_TIMEOUT_MS = 120_000;

/** Not part of the image: what a runtime mounts over it. */
const MOUNTS = [
  'mount --bind -o ro "$0" "$0"',
  'mount -o remount,bind,ro "$0"',
  'mount -t proc -o nosuid,nodev,noexec proc "$0/proc"',
  'mount -t tmpfs -o mode=1777,nosuid,nodev tmpfs "$0/tmp"',
  'mount -t tmpfs -o mode=0700,uid=10001,gid=10001,nosuid,nodev tmpfs "$0/var/lib/scrip"',
  // The devices that every container has.
  'mount -t tmpfs -o mode=0755,nosuid tmpfs "$0/dev"',
  'for name in null zero random urandom; do : >"$0/dev/$name"; mount --bind "/dev/$name" "$0/dev/$name"; done',
].join(" && ");

/**
 * Runs the image as a container: its user, no capabilities, no new privileges, its root file system read-only, process
 * and mount namespaces of its own, its entry point, or another, as process 1. The network is that of this machine.
 */
export function runContainer(
  { config, root }: BuiltImage,
  args: readonly string[],
  settings: Settings,
  entrypoint: readonly string[] = config.Entrypoint,
): Container {
  for (const folder of ["proc", "tmp", "dev"]) mkdirSync(join(root, folder), { recursive: true });
  const startedAt = performance.now();
  const script = `${MOUNTS} && cd "$0" && exec chroot "$0" /usr/bin/setpriv ${privilegesOf(config.User)} -- "$@"`;
  const command = ["/usr/bin/env", "--chdir", config.WorkingDir, ...entrypoint, ...args];
  const child = spawn(
    "unshare",
    ["--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", script, root, ...command],
    {
      env: { ...Object.fromEntries(config.Env.map(splitSetting)), ...settings },
      stdio: ["ignore", "pipe", "pipe"],
      timeout: RUN_TIMEOUT_MS,
      killSignal: "SIGKILL",
    },
  );
  const output = { stdout: "", stderr: "" };
  collect(child, output);
  const ended = once(child, "close").then(
    ([code]): Ended => ({ code, ...output, elapsedMs: performance.now() - startedAt }),
  );
  return {
    async printed(text) {
      const endedEarly = ended.then(({ stderr }) => {
        throw new Error(`it ended before it had printed "${text}": ${stderr}`);
      });
      while (!output.stdout.includes(text)) await Promise.race([once(child.stdout, "data"), endedEarly]);
      // From now on its end is no news.
      endedEarly.catch(() => {});
    },
    readStatus: async () => readFile(`/proc/${await findProcessOne(child)}/status`, "utf8"),
    async stop() {
      const askedAt = performance.now();
      process.kill(await findProcessOne(child), config.StopSignal as NodeJS.Signals);
      return { ...(await ended), elapsedMs: performance.now() - askedAt };
    },
    kill: () => void child.kill("SIGKILL"),
    ended,
  };
}

/** Throws with what the container wrote to standard error, unless it ended with 0. */
export function succeeded(ended: Ended): Ended {
  if (ended.code !== 0) throw new Error(`exit code ${ended.code}: ${ended.stderr}`);
  return ended;
}

/** setpriv is part of every Debian base. */
function privilegesOf(user: string): string {
  const [uid, gid] = user.split(":");
  return `--reuid=${uid} --regid=${gid} --clear-groups --inh-caps=-all --bounding-set=-all --no-new-privs`;
}

const splitSetting = (text: string): [string, string] => {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
};

function collect(child: ChildProcess, output: { stdout: string; stderr: string }): void {
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream]?.setEncoding("utf8").on("data", (text: string) => {
      output[stream] += text;
    });
  }
}

/** unshare stays outside; its one child is process 1 inside. */
async function findProcessOne({ pid }: ChildProcess): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  const [first] = children.trim().split(/\s+/);
  if (!first) throw new Error("the container has ended");
  return Number(first);
}
