import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "./compile-cache.ts";
import type { ServerProcessInput } from "./server-process.ts";

export type ServerProcess = {
  url: string;
  port: number;
  /** Its log, errors and worse. */
  logged(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

/** Starts API and worker together in a separate process. */
export async function startServerProcess(input: ServerProcessInput): Promise<ServerProcess> {
  const script = fileURLToPath(new URL("./server-process.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(input)], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    env: { ...process.env, ...COMPILE_CACHE },
  });
  const lines: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void lines.push(text));
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => undefined)]);
  if (!started) throw new Error(`the server failed to start: ${lines.join("")}`);
  const [{ port }] = started as [{ port: number }];
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    logged: () => lines.join(""),
    async stop() {
      child.disconnect();
      await exited;
    },
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
