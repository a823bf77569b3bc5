import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { eventually } from "../eventually.ts";
import type { Finished } from "./scrip-host.ts";

export type RunningListen = {
  process: ChildProcess;
  /** Everything it has printed so far, on both channels. */
  printed(): string;
  /** Waits until it has printed a match. */
  prints(what: RegExp): Promise<void>;
  finished: Promise<Finished>;
};

const COMMAND = fileURLToPath(new URL("../../src/bin/scrip.ts", import.meta.url));
const RUN_TIMEOUT_MS = 60_000;

/** Runs `scrip listen` in a separate process, without the operator's environment. */
export function startListen(args: readonly string[], env: Readonly<Record<string, string>>): RunningListen {
  const child = spawn(process.execPath, [COMMAND, "listen", ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: RUN_TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk) => {
      output[name] += chunk;
    });
  }
  const printed = () => output.stdout + output.stderr;
  return {
    process: child,
    printed,
    async prints(what) {
      const look = async () => {
        if (what.test(printed())) return true;
        if (child.exitCode !== null) throw new Error(`it ended before ${what}: ${printed()}`);
        return undefined;
      };
      await eventually(`listen prints ${what}, not only ${printed()}`, look);
    },
    finished: once(child, "close").then(([code]): Finished => ({ code, ...output })),
  };
}
