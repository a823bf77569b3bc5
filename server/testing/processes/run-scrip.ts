import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { openScripHost } from "./open-scrip-host.ts";
import type { Finished } from "./scrip-host.ts";

export type RunningScrip = {
  process: ChildProcess;
  url: string;
  /** Everything it has printed to standard output so far. */
  stdout: () => string;
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Finished>;
};

type Environment = Readonly<Record<string, string>>;

const COMMAND = fileURLToPath(new URL("../../src/bin/scrip.ts", import.meta.url));
const RUN_TIMEOUT_MS = 60_000;

/** These commands take over their process. */
const LASTING_COMMANDS = ["start", "listen"];

const host = openScripHost(environmentOf({}), RUN_TIMEOUT_MS);

/**
 * Runs the command to its end in a shared process. A command that runs concurrently, or that takes over its process,
 * gets a separate one.
 */
export async function runScrip(args: readonly string[], env: Environment): Promise<Finished> {
  if (host.isBusy() || LASTING_COMMANDS.includes(args[0] ?? "")) return runScripAlone(args, env);
  return host.run({ args, env: environmentOf(env) });
}

/** Runs the command as a person would: in a separate process, with its exit code. */
export const runScripAlone = (args: readonly string[], env: Environment): Promise<Finished> =>
  spawnScrip(args, env).finished;

/** The JSON document that a command prints. */
export async function scripJson<Result>(args: readonly string[], env: Environment): Promise<Result> {
  const { code, stdout, stderr } = await runScrip([...args, "--json"], env);
  if (code !== 0) throw new Error(`scrip ${args.join(" ")} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

/** Starts the server in a separate process and waits until it has printed its URL. It ends after `timeoutMs`. */
export async function startScrip(
  args: readonly string[],
  env: Environment,
  timeoutMs = RUN_TIMEOUT_MS,
): Promise<RunningScrip> {
  const { child, finished, output } = spawnScrip(["start", ...args], env, timeoutMs);
  const url = await Promise.race([
    finished.then(({ stderr }) =>
      Promise.reject(new Error(`the server ended before it was ready: ${stderr}`)),
    ),
    firstAddress(child, output),
  ]);
  return {
    process: child,
    url,
    stdout: () => output.stdout,
    async stop(signal) {
      child.kill(signal);
      return finished;
    },
  };
}

function spawnScrip(args: readonly string[], env: Environment, timeoutMs = RUN_TIMEOUT_MS) {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    env: environmentOf(env),
    stdio: ["ignore", "pipe", "pipe"],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk) => {
    output.stderr += chunk;
  });
  const finished = once(child, "close").then(([code]): Finished => ({ code, ...output }));
  return { child, finished, output };
}

function environmentOf(env: Environment): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, METRICS_PORT: "0", PORT: "0", ...COMPILE_CACHE, ...env };
}

async function firstAddress(child: ChildProcess, output: { stdout: string }): Promise<string> {
  for (;;) {
    const url = /Scrip is ready at (\S+)/.exec(output.stdout)?.[1];
    if (url !== undefined) return url;
    await once(child.stdout ?? child, "data");
  }
}
