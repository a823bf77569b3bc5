import { buildProgram } from "../bin/program.ts";
import { runProgram } from "../bin/verb.ts";

/** The process of scrip-desk.ts: runs the command lines that it is sent, one after another. */
export type DeskRequest = { args: string[]; env: Record<string, string> };
export type DeskReply = { code: number; stdout: string; stderr: string };

const inherited = { ...process.env };

async function run({ args, env }: DeskRequest): Promise<DeskReply> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, inherited, env);
  const output = { stdout: "", stderr: "" };
  const originals = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ["stdout", "stderr"] as const) {
    process[name].write = (chunk: string | Uint8Array) => {
      output[name] += chunk.toString();
      return true;
    };
  }
  process.exitCode = 0;
  try {
    await runProgram(await buildProgram(args[0]), ["node", "scrip", ...args]);
    return { code: Number(process.exitCode), ...output };
  } finally {
    for (const name of ["stdout", "stderr"] as const) process[name].write = originals[name];
    process.exitCode = 0;
  }
}

process.on("message", async (request: DeskRequest) => {
  process.send?.(await run(request));
});
