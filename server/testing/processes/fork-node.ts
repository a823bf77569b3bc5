import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { FulfilmentLimits } from "../../src/fulfilment/limits.ts";
import type { RefundInput } from "../../src/fulfilment/refund/refund-order.ts";
import type { DeliveryLimits } from "../../src/webhooks/delivery/limits.ts";
import { caCertificatePath } from "../receivers/tls-fixture.ts";
import { bundledScript, type Script } from "./bundled-script.ts";
import { COMPILE_CACHE } from "./compile-cache.ts";

/** What a process of the service needs to know. */
export type ServiceInput = {
  connectionString: string;
  /** 0 takes a free one, as when there is none here. */
  port?: number;
  /** How far its clock is off the system's. */
  clockOffsetMs?: number;
  limits?: Partial<FulfilmentLimits>;
  /** Suppliers are called as often as there is work: the fakes have no limits of their own. */
  callsFreely?: boolean;
  deliveryLimits?: Partial<DeliveryLimits>;
  /** Webhooks may lead to this machine. */
  allowsLoopback?: boolean;
  /** It finds out by itself when its database is no longer the primary, as the server does. */
  watchesPrimary?: boolean;
  logLevel?: "warn" | "error";
  /** An API process or worker with everything that `scrip start` runs, and the master keys of this directory. */
  home?: { dataDir: string; consolePort: number };
};

/** What a worker does in a process that dies. */
export type WorkerJob = {
  connectionString: string;
  masterKeyHex: string;
  nowMs: number;
  /** The number of the point at which it dies; 0 for none. */
  killAt: number;
  /** What the operator pays back before the worker begins. */
  refund?: RefundInput;
};

/** What a process that works on jobs needs to know. */
export type JobInput = { connectionString: string; nowMs: number };

/** The roles that a process can have, and what each is given. */
export type NodeInputs = {
  api: ServiceInput;
  /** Fulfilment and deliveries. */
  worker: ServiceInput;
  /** API and fulfilment together. */
  server: ServiceInput;
  deliveries: ServiceInput;
  /** Fulfilment alone. */
  buyer: ServiceInput;
  /** Workers that die at a point each. */
  crash: readonly WorkerJob[];
  /** Works on jobs until none is left. */
  jobs: JobInput;
  /** Runs one command after the other. */
  commands: null;
};
export type NodeRole = keyof NodeInputs;
export type ServiceRole = Exclude<NodeRole, "crash" | "jobs" | "commands">;

/** The first message of every process. */
export type ReadyMessage = { ready: { port: number } };
/** What a process of the service answers to. */
export type ServiceMessage = { clockOffsetMs: number } | "sample";
/** What a process holds on to, after its garbage is gone where that can be asked for. */
export type NodeSample = { heapBytes: number; rssBytes: number; handles: number };

export type ForkedNode = {
  child: ChildProcess;
  port: number;
  url: string;
  /** What it has written to standard output. */
  printed(): string;
  /** What it has written to its log, which is standard error. */
  logged(): string;
  /** Sends a message, and resolves with the next one that comes back. */
  ask<Reply>(message: unknown): Promise<Reply>;
  ended: Promise<NodeEnd>;
  /** Resolves when it has ended by itself or was killed, and all that it wrote has been read. */
  finished: Promise<NodeEnd>;
  /** Asks it to end in good order, and waits for that. */
  stop(): Promise<void>;
  /** Ends it as a power cut would: at once, whatever it was at. */
  kill(): Promise<void>;
};
export type NodeEnd = { code: number | null; signal: NodeJS.Signals | null };

export type ForkOptions = {
  /** All of its environment; that of this process unless given. */
  env?: Readonly<Record<string, string>>;
  execArgv?: readonly string[];
  timeoutMs?: number;
  /** Gets its messages but the first. */
  onMessage?: (message: unknown, child: ChildProcess) => void;
};

const OUTPUT_MAX_CHARACTERS = 1_000_000;
const QUICK_IMPORTS = fileURLToPath(new URL("./resolve-sources.ts", import.meta.url));
const SERVICE = "server/testing/processes/node-process.ts";
const SCRIPTS: Readonly<Record<NodeRole, Script>> = {
  api: SERVICE,
  worker: SERVICE,
  server: SERVICE,
  deliveries: SERVICE,
  buyer: SERVICE,
  crash: "server/testing/processes/worker-process.ts",
  jobs: "server/testing/processes/job-process.ts",
  commands: "server/testing/processes/scrip-host.ts",
};

/**
 * Starts a process of ours in one of its roles and waits until it is up. It trusts the receivers of the tests, shares what is
 * compiled with all others, and ends when this process does: its line to us breaks then.
 */
export async function forkNode<Role extends NodeRole>(
  role: Role,
  input: NodeInputs[Role],
  { env, execArgv, timeoutMs, onMessage }: ForkOptions = {},
): Promise<ForkedNode> {
  const { path, isBundled } = bundledScript(SCRIPTS[role]);
  const child = fork(path, [JSON.stringify({ role, input })], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    // Amounts are bigint, which JSON does not know.
    serialization: "advanced",
    env: { ...(env ?? process.env), ...COMPILE_CACHE, NODE_EXTRA_CA_CERTS: caCertificatePath },
    execArgv: [...(execArgv ?? process.execArgv), ...(isBundled ? [] : ["--import", QUICK_IMPORTS])],
    ...(timeoutMs === undefined ? {} : { timeout: timeoutMs, killSignal: "SIGTERM" }),
  });
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] = (output[name] + text).slice(-OUTPUT_MAX_CHARACTERS);
    });
  child.on("error", () => {});
  // Where we end the line, as stop does, Node tells of the end of the process and not of the end of its output.
  const ended = once(child, "exit").then(([code, signal]): NodeEnd => ({ code, signal }));
  const finished = once(child, "close").then(() => ended);
  const up = Promise.withResolvers<ReadyMessage | undefined>();
  child.on("message", (message: ReadyMessage | object) => {
    if ("ready" in Object(message)) up.resolve(message as ReadyMessage);
    else onMessage?.(message, child);
  });
  void ended.then(() => up.resolve(undefined));
  const started = await up.promise;
  if (!started) throw new Error(`the process of the role ${role} did not start: ${output.stderr}`);
  const { port } = started.ready;
  return {
    child,
    port,
    url: `http://127.0.0.1:${port}`,
    printed: () => output.stdout,
    logged: () => output.stderr,
    async ask<Reply>(message: unknown) {
      const answered = once(child, "message");
      child.send(message as object);
      return (await answered)[0] as Reply;
    },
    ended,
    finished,
    async stop() {
      if (child.connected) child.disconnect();
      await ended;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}
