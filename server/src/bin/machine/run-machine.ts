import cluster from "node:cluster";
import { mkdtemp, rm } from "node:fs/promises";
import module from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import { createMetrics } from "../../http/metrics.ts";
import type { Log } from "../../lib/log.ts";
import type { Context } from "../open-context.ts";
import type { Server } from "../serve.ts";
import { serveMetrics } from "../serve-metrics.ts";
import type { Duty, FromProcess } from "./messages.ts";
import { passLines } from "./pass-lines.ts";
import type { ProcessPlan } from "./plan-processes.ts";
import { createMetricSums } from "./sum-metrics.ts";
import { type Child, type Supervision, supervise } from "./supervise.ts";

const PROCESS_FILE = fileURLToPath(new URL("./machine-process.ts", import.meta.url));
/** A process that does not answer in time keeps its last counters in the sums. */
const MEASURE_TIMEOUT_MS = 1_000;
/** This process in the sums. */
const SUPERVISOR = "supervisor";

export type MachineDeps = {
  context: Context;
  log: Log;
  plan: Exclude<ProcessPlan, "one">;
  /** The log of all processes. */
  output: { write(text: string): unknown };
};

/**
 * Runs the whole machine: HTTP processes that share one port, and workers. This process supervises them, owns the embedded
 * PostgreSQL and serves the metrics; it answers no request of the API.
 */
export async function runMachine({ context, log, plan, output }: MachineDeps): Promise<Server> {
  const folder = await openSocketFolder(log);
  const duties = dutiesOf(plan, folder && join(folder, "orders"));
  const sums = createMetricSums();
  const answers = new Map<string, () => void>();
  const openProcess = prepareFork(output);
  const supervision = supervise({
    duties,
    fork: openProcess,
    embeddedUrl: context.embeddedUrl?.reveal(),
    log,
    onMessage(duty, child, message) {
      if (message.kind === "measured") {
        sums.keep(duty.label, message.metrics);
        answers.get(duty.label)?.();
      } else if (message.kind === "sum")
        void metrics.print().then((text) => child.send({ kind: "sums", text }));
    },
    onEnd: ({ label }) => sums.retire(label),
  });
  const printSums = async (): Promise<string> => {
    sums.keep(SUPERVISOR, await metrics.registry.getMetricsAsJSON());
    const responding = await measureAll(supervision, answers);
    return sums.print(responding.add(SUPERVISOR));
  };
  // Scrapes at the same time get the same answer.
  let printing: Promise<string> | undefined;
  const metrics = createMetrics(() => {
    printing ??= printSums().finally(() => {
      printing = undefined;
    });
    return printing;
  });
  let metricsApp: FastifyInstance | undefined;
  const stop = async () => {
    await Promise.all([supervision.stop(), metricsApp?.close()]);
    if (folder) await rm(folder, { recursive: true, force: true });
  };
  try {
    const ready = await supervision.ready;
    metricsApp = await serveMetrics(context.config, metrics, log);
    const { address = "", consoleAddress } = ready[0] ?? {};
    return { address, consoleAddress, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Only this user can enter it. Without one, each process places its orders by itself. */
async function openSocketFolder(log: Log): Promise<string | undefined> {
  try {
    return await mkdtemp(join(tmpdir(), "scrip-"));
  } catch (err) {
    log.warn({ err }, "each process places its orders by itself: no temporary folder can be made");
    return undefined;
  }
}

/** HTTP processes come first. A worker listens only where there are no HTTP processes, for /healthz and /readyz. */
function dutiesOf({ http, workers }: MachineDeps["plan"], path: string | undefined): Duty[] {
  const some = (count: number, dutyOf: (index: number) => Omit<Duty, "label">, name: string): Duty[] =>
    Array.from({ length: count }, (_, index) => ({ ...dutyOf(index), label: `${name}-${index + 1}` }));
  return [
    ...some(
      http,
      (index) => ({
        role: "api",
        listens: true,
        placer: path === undefined ? undefined : { path, isHere: index === 0 },
      }),
      "http",
    ),
    ...some(workers, () => ({ role: "worker", listens: http === 0, placer: undefined }), "worker"),
  ];
}

/** Connections are handed to the processes in turn: with keep-alive, chance would give one of them most of the work. */
function prepareFork(output: MachineDeps["output"]): (duty: Duty) => Child {
  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({ exec: PROCESS_FILE, args: [], stdio: ["ignore", "inherit", "pipe", "ipc"] });
  const compiled = module.getCompileCacheDir?.();
  // Node adds a folder for its version.
  const cache = compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) };
  return () => {
    const worker = cluster.fork({ ...cache, ...process.env });
    const { process: child } = worker;
    if (child.stderr) passLines(child.stderr, output);
    // A process that is gone gets no messages. Its end is reported separately.
    worker.on("error", () => {});
    return {
      pid: child.pid,
      send: (message) => void (worker.isConnected() && worker.send(message, () => {})),
      kill: (signal) => void child.kill(signal),
      onMessage: (listener) => void worker.on("message", (message: FromProcess) => listener(message)),
      onEnd(listener) {
        child.once("exit", listener);
        // One that could not be started has no end.
        child.once("error", (error) => child.pid === undefined && listener(null, error.message));
      },
    };
  };
}

/** Asks all processes for their figures, and returns the names of those that answered in time. */
async function measureAll({ children }: Supervision, answers: Map<string, () => void>): Promise<Set<string>> {
  const responding = new Set<string>();
  const all = Promise.all(
    children().map(({ duty: { label }, child }) => {
      const answered = Promise.withResolvers<void>();
      answers.set(label, () => {
        responding.add(label);
        answered.resolve();
      });
      child.send({ kind: "measure" });
      return answered.promise;
    }),
  );
  const patience = Promise.withResolvers<void>();
  const timer = setTimeout(patience.resolve, MEASURE_TIMEOUT_MS);
  await Promise.race([all, patience.promise]);
  clearTimeout(timer);
  return responding;
}
