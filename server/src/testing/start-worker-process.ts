import { fork } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { RefundInput } from "../fulfilment/refund-order.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { answerOverLine, type Suppliers } from "./supplier-line.ts";

export type WorkerJob = {
  connectionString: string;
  masterKeyHex: string;
  nowMs: number;
  /** The number of the point at which it dies; 0 for none. */
  killAt: number;
  /** What the operator pays back before the worker begins. */
  refund?: RefundInput;
};

export type WorkerEnd = {
  /** The points that it passed, in order; the last is where it was killed. */
  points: string[];
  wasKilled: boolean;
  /** What it logged, warnings and worse. */
  logged: string;
};

/** Starts a worker in a process of its own, which works until nothing is left or until it is killed, and waits for its end. */
export async function startWorkerProcess(job: WorkerJob, suppliers: Suppliers): Promise<WorkerEnd> {
  const script = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(job)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { ...process.env, ...COMPILE_CACHE },
  });
  answerOverLine(child, suppliers);
  if (!child.stdout || !child.stderr) throw new Error("the worker's output is not piped");
  const [[code, signal], passed, logged] = await Promise.all([
    once(child, "exit"),
    text(child.stdout),
    text(child.stderr),
  ]);
  const wasKilled = signal === "SIGKILL";
  if (code !== 0 && !wasKilled) throw new Error(`the worker ended with ${code ?? signal}: ${logged}`);
  return { points: passed.split("\n").slice(0, -1), wasKilled, logged };
}
