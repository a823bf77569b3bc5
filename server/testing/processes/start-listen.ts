import { type SpawnedNode, scripCommand, spawnNode } from "./spawn-node.ts";

export type RunningListen = Pick<SpawnedNode, "process" | "finished" | "prints"> & {
  /** Everything it has printed so far, on both channels. */
  printed(): string;
};

const RUN_TIMEOUT_MS = 60_000;

/** Runs `scrip listen` in a separate process, without the operator's environment. */
export function startListen(args: readonly string[], env: Readonly<Record<string, string>>): RunningListen {
  const { PATH } = process.env;
  const running = spawnNode(scripCommand(), ["listen", ...args], {
    env: { PATH, ...env },
    timeoutMs: RUN_TIMEOUT_MS,
  });
  const { output, ...rest } = running;
  return { ...rest, printed: () => output.stdout + output.stderr };
}
