import { forkNode, type WorkerJob } from "./fork-node.ts";
import { answerOverLine, type Suppliers } from "./supplier-line.ts";

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
  const node = await forkNode("crash", jobs, {
    // Ends it outside its points, which is an error below.
    timeoutMs: TIMEOUT_MS,
    onMessage: answerOverLine(suppliers),
  });
  const { code, signal } = await node.finished;
  const [passed, logged] = [node.printed(), node.logged()];
  const wasKilled = signal === "SIGKILL";
  if (code !== 0 && !wasKilled) throw new Error(`the worker ended with ${code ?? signal}: ${logged}`);
  return jobs.map((_, number) => ({ points: pointsOf(passed, number), wasKilled, logged }));
}

function pointsOf(passed: string, number: number): string[] {
  const own = `${number} `;
  const lines = passed.split("\n").filter((line) => line.startsWith(own));
  return lines.map((line) => line.slice(own.length));
}
