/**
 * Batches concurrent calls into one run. A call joins a batch that has not started, never one in progress, so what
 * `run` reads is at least as recent as the call. No call waits for others to come: the first one starts a batch in the same turn
 * of the event loop's check phase, and calls that arrive while `maxRunning` batches are running form the next batch.
 */
export function createBatcher<Input, Output>(options: {
  run: (inputs: readonly Input[], letNext: () => void) => Promise<readonly Output[]>;
  maxSize: number;
  maxRunning: number;
  /** If set, a run starts once the one before has called `letNext` or ended, or after this time. */
  patienceMs?: number;
  /** How many calls can wait. Further calls are rejected with `overflow`. */
  maxWaiting?: number;
  overflow?: () => Error;
}): (input: Input) => Promise<Output> {
  type Member = { input: Input; resolve: (output: Output) => void; reject: (error: unknown) => void };
  const waiting: Member[] = [];
  let running = 0;
  let scheduled = false;
  /** The timer of the run that the next one waits for. */
  let awaited: NodeJS.Timeout | undefined;

  const schedule = () => {
    if (scheduled || awaited || running >= options.maxRunning || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void start();
    });
  };

  const awaitRun = (): (() => void) => {
    if (options.patienceMs === undefined) return () => {};
    const letNext = () => {
      if (awaited !== timer) return;
      clearTimeout(timer);
      awaited = undefined;
      schedule();
    };
    const timer = setTimeout(letNext, options.patienceMs);
    awaited = timer;
    return letNext;
  };

  const start = async () => {
    const members = waiting.splice(0, options.maxSize);
    running += 1;
    const letNext = awaitRun();
    schedule();
    try {
      const outputs = await options.run(
        members.map((member) => member.input),
        letNext,
      );
      members.forEach((member, index) => {
        member.resolve(outputs[index] as Output);
      });
    } catch (error) {
      for (const member of members) member.reject(error);
    } finally {
      running -= 1;
      letNext();
      schedule();
    }
  };

  return (input) =>
    new Promise<Output>((resolve, reject) => {
      if (options.maxWaiting !== undefined && waiting.length >= options.maxWaiting) {
        reject(options.overflow?.() ?? new Error("too many calls are waiting"));
        return;
      }
      waiting.push({ input, resolve, reject });
      schedule();
    });
}
