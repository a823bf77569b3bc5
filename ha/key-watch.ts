import { setTimeout as wait } from "node:timers/promises";
import { call } from "../chaos/call.ts";
import type { Api } from "./callers.ts";

/** What a process responded at a time: to a key that might be revoked, and to /readyz. */
export type Sample = { api: string; startMs: number; keyStatus: number; readyStatus: number };

export type KeyWatch = {
  samples: readonly Sample[];
  /** Waits until each process has refused the key in a request that started after the time. */
  untilRefusedByAll(sinceMs: number, withinMs: number): Promise<boolean>;
  stop(): Promise<void>;
};

const EVERY_MS = 200;
const LOOK_EVERY_MS = 50;
const ANSWER_TIMEOUT_MS = 2_000;
const REFUSED = 401;
const NO_ANSWER = 0;

/** Asks each process repeatedly with the same key, as its owner would. */
export function watchKey(apis: readonly Api[], key: string): KeyWatch {
  const samples: Sample[] = [];
  let isStopping = false;
  const watch = async (api: Api): Promise<void> => {
    while (!isStopping) {
      const startMs = performance.now();
      const [keyStatus, readyStatus] = await Promise.all([
        statusOf(api.port, key, "/v1/balance", (late) =>
          samples.push({ api: api.name, startMs, keyStatus: late, readyStatus: NO_ANSWER }),
        ),
        statusOf(api.port, key, "/readyz", () => {}),
      ]);
      samples.push({ api: api.name, startMs, keyStatus, readyStatus });
      await wait(EVERY_MS);
    }
  };
  const done = Promise.all(apis.map(watch));
  return {
    samples,
    async untilRefusedByAll(sinceMs, withinMs) {
      const hasRefused = ({ name }: Api) =>
        samples.some(
          ({ api, startMs, keyStatus }) => api === name && startMs > sinceMs && keyStatus === REFUSED,
        );
      for (const deadlineMs = performance.now() + withinMs; performance.now() < deadlineMs; ) {
        if (apis.every(hasRefused)) return true;
        await wait(LOOK_EVERY_MS);
      }
      return false;
    },
    async stop() {
      isStopping = true;
      await done;
    },
  };
}

/** A sample waits at most for the limit; a later response is recorded when it arrives. */
async function statusOf(
  port: number,
  key: string,
  path: string,
  onLate: (status: number) => void,
): Promise<number> {
  let isLate = false;
  const answered = call(port, key, "GET", path).then(
    ({ status }) => {
      if (isLate) onLate(status);
      return status;
    },
    () => NO_ANSWER,
  );
  const timer = new AbortController();
  const late = wait(ANSWER_TIMEOUT_MS, NO_ANSWER, { signal: timer.signal }).catch(() => NO_ANSWER);
  try {
    return await Promise.race([answered, late]);
  } finally {
    isLate = true;
    timer.abort();
  }
}

/** How long after the revocation a request that got 200 could still start; 0 when none could. */
export const acceptedForMs = (samples: readonly Sample[], revokedMs: number): number =>
  samples
    .filter(({ startMs, keyStatus }) => startMs >= revokedMs && keyStatus === 200)
    .reduce((longest, { startMs }) => Math.max(longest, startMs - revokedMs), 0);

/** From the fault until the last process was not ready; undefined when one stayed ready. */
export function unreadyAfterMs(samples: readonly Sample[], fromMs: number): number | undefined {
  const names = [...new Set(samples.map(({ api }) => api))];
  const firsts = names.map(
    (name) =>
      samples.find(
        ({ api, startMs, readyStatus }) => api === name && startMs >= fromMs && readyStatus !== 200,
      )?.startMs,
  );
  return firsts.reduce<number | undefined>(
    (latest, at) => (latest === undefined || at === undefined ? undefined : Math.max(latest, at - fromMs)),
    0,
  );
}
