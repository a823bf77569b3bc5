import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { bundledScript } from "./bundled-script.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";

/** How a program ended. */
export type Finished = { code: number | null; stdout: string; stderr: string };

export type SpawnedNode = {
  process: ChildProcess;
  /** All that it has printed so far. */
  output: Readonly<{ stdout: string; stderr: string }>;
  finished: Promise<Finished>;
  /** Waits until it has printed something like that, and fails when it ends before. */
  prints(what: RegExp): Promise<RegExpExecArray>;
};

/** The command as people run it, from its sources. */
export const SCRIP_SOURCE = new URL("../../src/bin/scrip.ts", import.meta.url).pathname;

/** The command: its bundle if this run made one, because that starts with half the CPU. */
export const scripCommand = (): string => bundledScript("server/src/bin/scrip.ts").path;

/**
 * Runs a script as a person would: in a process of its own that knows nothing of us, with no more of our environment than
 * is given here. It is killed after its time.
 */
export function spawnNode(
  script: string,
  args: readonly string[],
  { env, timeoutMs }: { env: Readonly<Record<string, string | undefined>>; timeoutMs: number },
): SpawnedNode {
  const child = spawn(process.execPath, [script, ...args], {
    env: { ...COMPILE_CACHE, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  const finished = once(child, "close").then(([code]): Finished => ({ code, ...output }));
  return {
    process: child,
    output,
    finished,
    prints: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = what.exec(output.stdout + output.stderr);
          if (found) resolve(found);
        };
        for (const name of ["stdout", "stderr"] as const) child[name].on("data", look);
        look();
        void finished.then(() =>
          reject(new Error(`it ended before it printed ${what}: ${output.stdout}${output.stderr}`)),
        );
      }),
  };
}
