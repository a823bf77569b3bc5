import { runScrip } from "./run-scrip.ts";
import type { Finished } from "./spawn-node.ts";

type Environment = Readonly<Record<string, string>>;

export type ScripDesk = {
  /** Runs one command line to its end. */
  run(args: readonly string[], more?: Environment): Promise<Finished>;
  /** The JSON document that a command prints. */
  json<Result>(args: readonly string[]): Promise<Result>;
};

/** Commands on one database, for tests that run many. */
export function openScripDesk(env: Environment): ScripDesk {
  const run: ScripDesk["run"] = (args, more = {}) => runScrip(args, { ...env, ...more });
  return {
    run,
    async json<Result>(args: readonly string[]) {
      const { code, stdout, stderr } = await run([...args, "--json"]);
      if (code !== 0) throw new Error(`scrip ${args.join(" ")} exited with ${code}: ${stderr}`);
      return JSON.parse(stdout) as Result;
    },
  };
}
