import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "./compile-cache.ts";
import type { DeliveryProcessInput } from "./delivery-process.ts";

export type DeliveryProcess = {
  /** Its log, errors and worse. */
  logged(): string;
  stop(): Promise<void>;
  kill(): Promise<void>;
};

/** Starts deliveries in a separate process. */
export async function startDeliveryProcess(input: DeliveryProcessInput): Promise<DeliveryProcess> {
  const script = fileURLToPath(new URL("./delivery-process.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(input)], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    env: { ...process.env, ...COMPILE_CACHE },
  });
  const lines: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => void lines.push(text));
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => undefined)]);
  if (!started) throw new Error(`the delivery process failed to start: ${lines.join("")}`);
  return {
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
