import { setTimeout as wait } from "node:timers/promises";
import {
  type ForkedNode,
  forkNode,
  type NodeSample,
  type ServiceInput,
} from "../server/testing/processes/fork-node.ts";

export type NodeInput = ServiceInput & { role: "api" | "worker" };

/** A process of the service that comes back after each kill, on the same port. */
export type Node = {
  readonly role: NodeInput["role"];
  readonly port: number;
  /** Where the console listens, if it does. */
  readonly consolePort: number;
  /** Whether it was killed and is not up again yet. */
  isRising(): boolean;
  /** Kills it at once and starts it again. */
  killAndRaise(): Promise<void>;
  setClock(offsetMs: number): void;
  sample(): Promise<NodeSample>;
  stop(): Promise<void>;
};

const TAIL_CHARACTERS = 600;
const RAISE_PAUSE_MS = 200;
/** On a starved machine a database may not answer in time before any fault. A process that cannot start at all ends the run. */
const FIRST_TRIES_MAX = 5;
/** A start creates much that stays. With more room for new objects it is copied less often, and a start costs a sixth less CPU. */
const EXEC_ARGV = ["--expose-gc", "--min-semi-space-size=16", "--max-semi-space-size=32"];

export type NodeEvents = {
  onDied(what: string): void;
  /** A start failed. It is tried again. */
  onRefused(reason: string): void;
  /** Whether the database is there. A process that starts without it ends, which costs as much as a start that succeeds. */
  isReachable(): Promise<boolean>;
};

/** A process that ends unexpectedly is reported and started again. */
export async function startNode(
  given: Omit<NodeInput, "port" | "clockOffsetMs">,
  events: NodeEvents,
): Promise<Node> {
  let input: NodeInput = { ...given, port: 0, clockOffsetMs: 0 };
  let running = await raiseUntilUp(input, events, FIRST_TRIES_MAX);
  input = { ...input, port: running.port };
  let isExpected = false;
  let isKilled = false;
  let rising: Promise<void> | undefined;
  /** One at a time: two would want the same port. */
  const rise = (): Promise<void> => {
    rising ??= raiseUntilUp(input, events)
      .then(watch)
      .finally(() => {
        rising = undefined;
      });
    return rising;
  };
  const watch = (risen: ForkedNode) => {
    running = risen;
    void risen.ended.then(() => {
      if (isExpected) return;
      events.onDied(
        `a process of the role ${given.role} ended unexpectedly: ${risen.logged().slice(-TAIL_CHARACTERS)}`,
      );
      void rise();
    });
  };
  watch(running);
  return {
    role: given.role,
    port: running.port,
    consolePort: given.home?.consolePort ?? 0,
    isRising: () => isKilled || rising !== undefined,
    async killAndRaise() {
      isKilled = true;
      await rising;
      isExpected = true;
      await running.kill();
      isExpected = false;
      await rise();
      isKilled = false;
    },
    setClock(clockOffsetMs) {
      input = { ...input, clockOffsetMs };
      // One that has just been killed gets it when it starts.
      if (running.child.connected) running.child.send({ clockOffsetMs }, () => {});
    },
    sample: () => running.ask<NodeSample>("sample"),
    async stop() {
      await rising;
      isExpected = true;
      await running.stop();
    },
  };
}

/** A process that finds no database at its start ends, and is started again. */
async function raiseUntilUp(
  input: NodeInput,
  { isReachable, onRefused }: NodeEvents,
  triesMax = Number.POSITIVE_INFINITY,
): Promise<ForkedNode> {
  for (let tries = 1; ; tries += 1) {
    if (await isReachable()) {
      try {
        return await raise(input);
      } catch (error) {
        if (tries === triesMax) throw error;
        onRefused(error instanceof Error ? error.message : String(error));
      }
    }
    await wait(RAISE_PAUSE_MS);
  }
}

const raise = ({ role, ...input }: NodeInput): Promise<ForkedNode> =>
  forkNode(
    role,
    { ...input, allowsLoopback: true, watchesPrimary: true, callsFreely: true },
    { execArgv: EXEC_ARGV },
  );
