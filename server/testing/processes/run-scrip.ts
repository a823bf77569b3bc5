import type { ChildProcess } from "node:child_process";
import { openScripHost } from "./open-scrip-host.ts";
import { type Finished, scripCommand, spawnNode } from "./spawn-node.ts";

export type RunningScrip = {
  process: ChildProcess;
  url: string;
  /** Everything it has printed to standard output so far. */
  stdout: () => string;
  /** Its log so far. */
  stderr: () => string;
  /** Sends the signal and waits for the end. */
  stop(signal: NodeJS.Signals): Promise<Finished>;
};

type Environment = Readonly<Record<string, string>>;

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
  return runScripShared(args, env);
}

/** Runs a command to its end in the shared process, even one that would take it over if it did not fail. */
export const runScripShared = (args: readonly string[], env: Environment): Promise<Finished> =>
  host.run({ args, env: environmentOf(env) });

/** Runs the command as a person would: in a separate process, with its exit code. */
export const runScripAlone = (args: readonly string[], env: Environment): Promise<Finished> =>
  spawnNode(scripCommand(), args, { env: environmentOf(env), timeoutMs: RUN_TIMEOUT_MS }).finished;

/** The JSON document that a command prints. */
export async function scripJson<Result>(args: readonly string[], env: Environment): Promise<Result> {
  const { code, stdout, stderr } = await runScrip([...args, "--json"], env);
  if (code !== 0) throw new Error(`scrip ${args.join(" ")} exited with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Result;
}

/**
 * Starts the server in a separate process and waits until it has printed its URL. It ends after `timeoutMs`. `command` is
 * SCRIP_SOURCE in a test of the start as people do it.
 */
export async function startScrip(
  args: readonly string[],
  env: Environment,
  timeoutMs = RUN_TIMEOUT_MS,
  command = scripCommand(),
): Promise<RunningScrip> {
  const spawned = spawnNode(command, ["start", ...args], { env: environmentOf(env), timeoutMs });
  const { process: child, finished, output, prints } = spawned;
  const [, url = ""] = await prints(/Scrip is ready at (\S+)/);
  return {
    process: child,
    url,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async stop(signal) {
      child.kill(signal);
      return finished;
    },
  };
}

function environmentOf(env: Environment): Record<string, string> {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME, METRICS_PORT: "0", CONSOLE_PORT: "0", PORT: "0", PROCESSES: "1", ...env };
}
