import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { COMPILE_CACHE } from "../server/testing/processes/compile-cache.ts";
import { caCertificatePath } from "../server/testing/receivers/tls-fixture.ts";
import type { NodeInput, NodeSample } from "./node-process.ts";

/** A process of the service that comes back after each kill, on the same port. */
export type Node = {
  readonly role: NodeInput["role"];
  readonly port: number;
  /** Kills it at once and starts it again. */
  killAndRaise(): Promise<void>;
  setClock(offsetMs: number): void;
  sample(): Promise<NodeSample>;
  stop(): Promise<void>;
};

const SCRIPT = fileURLToPath(new URL("./node-process.ts", import.meta.url));
const LOG_MAX_CHARACTERS = 200_000;
const TAIL_CHARACTERS = 600;
const RAISE_PAUSE_MS = 200;

/** A process that ends unexpectedly is reported and started again. */
export async function startNode(
  given: Omit<NodeInput, "port" | "clockOffsetMs">,
  onDied: (what: string) => void,
): Promise<Node> {
  let input: NodeInput = { ...given, port: 0, clockOffsetMs: 0 };
  let log = "";
  const keep = (text: string) => {
    log = (log + text).slice(-LOG_MAX_CHARACTERS);
  };
  let running = await raise(input, keep);
  input = { ...input, port: running.port };
  let isExpected = false;
  let rising: Promise<void> | undefined;
  /** One at a time: two would want the same port. */
  const rise = (): Promise<void> => {
    rising ??= raiseUntilUp(input, keep)
      .then(watch)
      .finally(() => {
        rising = undefined;
      });
    return rising;
  };
  const watch = (risen: Running) => {
    running = risen;
    void risen.exited.then(() => {
      if (isExpected) return;
      onDied(`a process of the role ${given.role} ended unexpectedly: ${log.slice(-TAIL_CHARACTERS)}`);
      void rise();
    });
  };
  watch(running);
  return {
    role: given.role,
    port: running.port,
    async killAndRaise() {
      await rising;
      isExpected = true;
      running.child.kill("SIGKILL");
      await running.exited;
      isExpected = false;
      await rise();
    },
    setClock(clockOffsetMs) {
      input = { ...input, clockOffsetMs };
      if (running.child.connected) running.child.send({ clockOffsetMs });
    },
    async sample() {
      const answered = once(running.child, "message");
      running.child.send("sample");
      const [{ sample }] = (await answered) as [{ sample: NodeSample }];
      return sample;
    },
    async stop() {
      await rising;
      isExpected = true;
      if (running.child.connected) running.child.disconnect();
      await running.exited;
    },
  };
}

type Running = { child: ChildProcess; port: number; exited: Promise<unknown> };

/** A process that finds no database at its start ends, and is started again. */
async function raiseUntilUp(input: NodeInput, keep: (text: string) => void): Promise<Running> {
  for (;;) {
    const running = await raise(input, keep).catch(() => undefined);
    if (running) return running;
    await wait(RAISE_PAUSE_MS);
  }
}

async function raise(input: NodeInput, keep: (text: string) => void): Promise<Running> {
  const child = fork(SCRIPT, [JSON.stringify(input)], {
    stdio: ["ignore", "inherit", "pipe", "ipc"],
    execArgv: ["--expose-gc"],
    env: { ...process.env, ...COMPILE_CACHE, NODE_EXTRA_CA_CERTS: caCertificatePath },
  });
  child.stderr?.setEncoding("utf8").on("data", keep);
  child.on("error", () => {});
  const exited = once(child, "exit");
  const started = await Promise.race([once(child, "message"), exited.then(() => undefined)]);
  if (!started) throw new Error("the process ended before it was ready");
  const [{ port }] = started as [{ port: number }];
  return { child, port, exited };
}
