// One process of the machine; see run-machine. It ends with its supervisor, however that ends: Node ends a process of a cluster
// when its line to the supervisor breaks.
import cluster from "node:cluster";
import pino from "pino";
import { readConfig } from "../../config.ts";
import { createMetrics, type Metrics } from "../../http/metrics.ts";
import { createLog, type Log } from "../../lib/log.ts";
import { maskSecrets, secret } from "../../lib/secret.ts";
import { endAtOnce } from "../end-at-once.ts";
import { type Context, openContext } from "../open-context.ts";
import { type Server, type ServeSteps, serve } from "../serve.ts";
import { SERVER_POOL_SIZE, STATEMENT_TIMEOUT_MS } from "../server-limits.ts";
import { whenAskedToStop } from "../when-asked-to-stop.ts";
import type { FromProcess, ToProcess } from "./messages.ts";

type Begin = Extract<ToProcess, { kind: "begin" }>;

/** Shorter than the supervisor's patience, so that the log says that it took too long. */
const STOP_TIMEOUT_MS = 30_000;

const begun = Promise.withResolvers<Begin>();
const stopped = Promise.withResolvers<string>();
/** Those who wait for the sums of all processes. */
let waiting: ((text: string) => void)[] = [];
let metrics: Metrics | undefined;

process.on("message", (message: ToProcess) => {
  if (message.kind === "begin") begun.resolve(message);
  if (message.kind === "stop") stopped.resolve("stop");
  if (message.kind === "measure") void measure();
  if (message.kind === "sums") {
    for (const resolve of waiting) resolve(message.text);
    waiting = [];
  }
});
endAtOnce();
void whenAskedToStop().then(stopped.resolve);
tell({ kind: "up" });
await run(await begun.promise);
cluster.worker?.disconnect();

async function run({ duty, embeddedUrl }: Begin): Promise<void> {
  const config = readConfig(process.env);
  const output = pino.destination({ dest: process.stderr.fd, sync: false });
  const log = createLog(config.logLevel, output, { process: duty.label });
  let context: Context | undefined;
  let server: Server | undefined;
  try {
    context = await openContext(config, {
      // The supervisor has created, checked and migrated it.
      mayCreate: false,
      applicationName: `scrip ${duty.role}`,
      poolSize: SERVER_POOL_SIZE,
      statementTimeoutMs: STATEMENT_TIMEOUT_MS,
      embeddedUrl: embeddedUrl === undefined ? undefined : secret(embeddedUrl),
      tell: (message) => log.info(message),
      onConnectionLost: (err) => log.warn({ err }, "database connection lost"),
    });
    server = await serve(context, log, duty.role, stepsOf(duty), duty.placer);
    tell({ kind: "ready", address: server.address, consoleAddress: server.consoleAddress });
    log.info({ role: duty.role, pid: process.pid }, "process ready");
    await stopped.promise;
  } catch (error) {
    tell({ kind: "failed", message: maskSecrets((error as Error).message) });
    process.exitCode = 1;
  } finally {
    await stop(server, context, log);
  }
}

function stepsOf({ listens }: Begin["duty"]): Partial<ServeSteps> {
  return {
    createMetrics: () => {
      metrics = createMetrics(askForSums);
      return metrics;
    },
    // The supervisor serves the sums of all processes.
    serveMetrics: async () => undefined,
    ...(listens ? {} : { listen: async () => {} }),
  };
}

function askForSums(): Promise<string> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    tell({ kind: "sum" });
  });
}

async function measure(): Promise<void> {
  if (metrics) tell({ kind: "measured", metrics: await metrics.registry.getMetricsAsJSON() });
}

async function stop(server: Server | undefined, context: Context | undefined, log: Log): Promise<void> {
  const overdue = setTimeout(() => {
    log.fatal("shutdown timed out");
    process.exit(1);
  }, STOP_TIMEOUT_MS).unref();
  await server?.stop();
  // What it counted last stays in the sums.
  await measure();
  await context?.close();
  clearTimeout(overdue);
}

function tell(message: FromProcess): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
