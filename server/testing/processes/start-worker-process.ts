import { fork } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { RefundInput } from "../../src/fulfilment/refund/refund-order.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";
import { answerOverLine, type Suppliers } from "./supplier-line.ts";

export type WorkerJob = {
  connectionString: string;
  masterKeyHex: string;
  nowMs: number;
  /** The number of the point at which it dies. 0 for none. */
  killAt: number;
  /** What the operator refunds before the worker starts. */
  refund?: RefundInput;
};

export type WorkerEnd = {
  /** The points that it passed, in order. The last one is where it was killed. */
  points: string[];
  wasKilled: boolean;
  /** What it and the other workers logged, warnings and worse. */
  logged: string;
};

const TIMEOUT_MS = 60_000;

/**
 * Starts workers in a separate process, one for each job, and waits for its end: either all work until nothing is
 * left, or the process is killed when each has reached its point. A process for each would take longer to start than
 * to work.
 */
export async function startWorkerProcess(
  jobs: readonly WorkerJob[],
  suppliers: Suppliers,
): Promise<WorkerEnd[]> {
  const script = fileURLToPath(new URL("./worker-process.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(jobs)], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Amounts are bigint, which JSON does not support.
    serialization: "advanced",
    env: { ...process.env, ...COMPILE_CACHE },
    // Ends it outside its points, which is an error below.
    timeout: TIMEOUT_MS,
    killSignal: "SIGTERM",
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
  return jobs.map((_, number) => ({ points: pointsOf(passed, number), wasKilled, logged }));
}

function pointsOf(passed: string, number: number): string[] {
  const own = `${number} `;
  const lines = passed.split("\n").filter((line) => line.startsWith(own));
  return lines.map((line) => line.slice(own.length));
}
