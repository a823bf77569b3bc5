import { buildProgram } from "../../src/bin/program.ts";
import { runProgram } from "../../src/bin/verb.ts";
import type { ReadyMessage } from "./fork-node.ts";
import type { Finished } from "./spawn-node.ts";

/**
 * Runs commands in sequence in one long-lived process, each with its own environment, because starting a process
 * takes longer than most commands. Started by run-scrip.
 */
export type HostedCommand = { args: readonly string[]; env: Readonly<Record<string, string>> };

process.on("message", async ({ args, env }: HostedCommand) => {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.exitCode = 0;
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  await runProgram(await buildProgram(args[0]), ["node", "scrip", ...args]);
  const finished: Finished = { code: Number(process.exitCode), stdout: stdout(), stderr: stderr() };
  process.send?.(finished);
});
process.once("disconnect", () => process.exit(0));
process.send?.({ ready: { port: 0 } } satisfies ReadyMessage);

/** Captures output from now on, and returns it once. */
function capture(stream: NodeJS.WriteStream): () => string {
  const write = stream.write;
  let text = "";
  stream.write = (chunk: string | Uint8Array) => {
    text += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  return () => {
    stream.write = write;
    return text;
  };
}
