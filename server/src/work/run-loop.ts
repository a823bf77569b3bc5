export type Loop = {
  /** Signals that there may be something to do. */
  wake(): void;
  /** Starts no further step and waits for the running one. */
  stop(): Promise<void>;
};

export type LoopOptions = {
  /** Does pending work. Returns true if there may be more right now. */
  step: () => Promise<boolean>;
  /** How long to wait for `wake` before running a step anyway. */
  pollMs: number;
  onError: (error: unknown) => void;
};

const ERROR_PAUSE_FIRST_MS = 100;
const ERROR_PAUSE_MAX_MS = 5_000;

/** Runs a step when woken, and periodically. After errors the pauses grow. */
export function runLoop({ step, pollMs, onError }: LoopOptions): Loop {
  let stopping = false;
  let woken = false;
  let endPause = () => {};
  let errorPauseMs = 0;

  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  const run = async () => {
    while (!stopping) {
      woken = false;
      try {
        const more = await step();
        errorPauseMs = 0;
        if (!more && !woken && !stopping) await pause(jittered(pollMs));
      } catch (error) {
        onError(error);
        errorPauseMs = Math.min(Math.max(errorPauseMs * 2, ERROR_PAUSE_FIRST_MS), ERROR_PAUSE_MAX_MS);
        if (!stopping) await pause(jittered(errorPauseMs));
      }
    }
  };

  const running = run();
  return {
    wake() {
      woken = true;
      if (errorPauseMs === 0) endPause();
    },
    async stop() {
      stopping = true;
      endPause();
      await running;
    },
  };
}

/** Up to a fifth longer, so that processes that started together drift apart. */
const jittered = (ms: number): number => ms * (1 + Math.random() / 5);
