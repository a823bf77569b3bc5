/**
 * Callers that arrive together share one run. A call joins the batch that has not started yet, never one that is
 * under way: what `run` reads is therefore at least as new as the call. No timer: the first call starts a batch in
 * the same turn of the event loop's check phase, and calls that arrive while `maxRunning` batches run form the next.
 */
export function createBatcher<Input, Output>(options: {
  run: (inputs: readonly Input[]) => Promise<readonly Output[]>;
  maxSize: number;
  maxRunning: number;
  /** How many may wait; a call beyond that is refused with `overflow`. */
  maxWaiting?: number;
  overflow?: () => Error;
}): (input: Input) => Promise<Output> {
  type Member = { input: Input; resolve: (output: Output) => void; reject: (error: unknown) => void };
  const waiting: Member[] = [];
  let running = 0;
  let scheduled = false;

  const schedule = () => {
    if (scheduled || running >= options.maxRunning || waiting.length === 0) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      void start();
    });
  };

  const start = async () => {
    const members = waiting.splice(0, options.maxSize);
    running += 1;
    schedule();
    try {
      const outputs = await options.run(members.map((member) => member.input));
      members.forEach((member, index) => {
        member.resolve(outputs[index] as Output);
      });
    } catch (error) {
      for (const member of members) member.reject(error);
    } finally {
      running -= 1;
      schedule();
    }
  };

  return (input) =>
    new Promise<Output>((resolve, reject) => {
      if (options.maxWaiting !== undefined && waiting.length >= options.maxWaiting) {
        reject(options.overflow?.() ?? new Error("too many calls wait"));
        return;
      }
      waiting.push({ input, resolve, reject });
      schedule();
    });
}
