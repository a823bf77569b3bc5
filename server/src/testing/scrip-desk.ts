import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "./compile-cache.ts";
import type { Finished } from "./run-scrip.ts";
import type { HostedCommand } from "./scrip-host.ts";

const PROCESS = fileURLToPath(new URL("./scrip-host.ts", import.meta.url));

export type ScripDesk = {
  /** Runs one command line to its end. */
  run(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Finished>;
  /** The JSON document that a command prints. */
  json<Result>(args: readonly string[]): Promise<Result>;
  close(): Promise<void>;
};

/**
 * One process that runs many commands, for tests that need many: each then costs what it does, and not a start of Node. A
 * test of how a process starts or ends uses run-scrip.ts.
 */
export function openScripDesk(env: Readonly<Record<string, string>>, cwd?: string): ScripDesk {
  const { PATH = "", HOME = "" } = process.env;
  const environment = { PATH, HOME, METRICS_PORT: "0", PORT: "0", ...COMPILE_CACHE };
  const child = fork(PROCESS, {
    ...(cwd === undefined ? {} : { cwd }),
    env: environment,
    execArgv: [],
  });
  const ended = once(child, "exit").then(() => Promise.reject(new Error("the process of the desk ended")));
  ended.catch(() => {});
  // Its first message says that it listens.
  let last: Promise<unknown> = Promise.race([once(child, "message"), ended]);
  const send = async (request: HostedCommand): Promise<Finished> => {
    child.send(request);
    const [reply] = await Promise.race([once(child, "message"), ended]);
    return reply as Finished;
  };
  const run: ScripDesk["run"] = (args, more = {}) => {
    const reply = last.then(() => send({ args: [...args], env: { ...environment, ...env, ...more } }));
    last = reply.catch(() => {});
    return reply;
  };
  return {
    run,
    async json<Result>(args: readonly string[]) {
      const { code, stdout, stderr } = await run([...args, "--json"]);
      if (code !== 0) throw new Error(`scrip ${args.join(" ")} exited with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Result;
    },
    async close() {
      child.kill("SIGKILL");
      await ended.catch(() => {});
    },
  };
}
