import type { ChildProcess } from "node:child_process";
import { openScripHost } from "./open-scrip-host.ts";
import { type Finished, SCRIP_COMMAND, type SpawnedNode, spawnNode } from "./spawn-node.ts";

export type RunningScrip = {
  process: ChildProcess;
  url: string;
  /** All that it has printed on standard output so far. */
  stdout: () => string;
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Finished>;
};

type Environment = Readonly<Record<string, string>>;

const RUN_TIMEOUT_MS = 60_000;

/** They take over the process that they run in. */
const LASTING_COMMANDS = ["start", "listen"];

const host = openScripHost(environmentOf({}), RUN_TIMEOUT_MS);

/**
 * Runs the command to its end, in a process that others were run in before. What runs at the same time as another has a
 * process of its own, and so has what takes over its process.
 */
export async function runScrip(args: readonly string[], env: Environment): Promise<Finished> {
  if (host.isBusy() || LASTING_COMMANDS.includes(args[0] ?? "")) return runScripAlone(args, env);
  return host.run({ args, env: environmentOf(env) });
}

/** Runs the command as a person would: in a process of its own, whose exit code is the answer. */
export const runScripAlone = (args: readonly string[], env: Environment): Promise<Finished> =>
  spawnScrip(args, env).finished;

/** The JSON document that a command prints. */
export async function scripJson<Result>(args: readonly string[], env: Environment): Promise<Result> {
  const { code, stdout, stderr } = await runScrip([...args, "--json"], env);
  if (code !== 0) throw new Error(`scrip ${args.join(" ")} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

/** Starts the server as a process of its own and waits until it has printed its address. It ends after `timeoutMs`. */
export async function startScrip(
  args: readonly string[],
  env: Environment,
  timeoutMs = RUN_TIMEOUT_MS,
): Promise<RunningScrip> {
  const { process: child, finished, output, prints } = spawnScrip(["start", ...args], env, timeoutMs);
  const [, url = ""] = await prints(/Scrip is ready at (\S+)/);
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

const spawnScrip = (args: readonly string[], env: Environment, timeoutMs = RUN_TIMEOUT_MS): SpawnedNode =>
  spawnNode(SCRIP_COMMAND, args, { env: environmentOf(env), timeoutMs });

function environmentOf(env: Environment): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, METRICS_PORT: "0", PORT: "0", ...env };
}
