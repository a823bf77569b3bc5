/** Callers that wait for a server to confirm that it is the primary. */
export type ConfirmationQueue = {
  size(): number;
  /** Settles with the first confirming write that was sent at or after this time. */
  wait(sentAfterMs: number): Promise<void>;
  release(sentAtMs: number): void;
  /** Rejects the callers for whom waiting is pointless, judged by when they started. */
  refuse(isVain: (sinceMs: number) => boolean, error: () => Error): void;
  refuseAll(error: Error): void;
};

type Waiter = { sinceMs: number; sentAfterMs: number; resolve(): void; reject(error: Error): void };

export function createConfirmationQueue(): ConfirmationQueue {
  const waiting = new Set<Waiter>();
  const refuse: ConfirmationQueue["refuse"] = (isVain, error) => {
    const refused = [...waiting].filter(({ sinceMs }) => isVain(sinceMs));
    if (refused.length === 0) return;
    const told = error();
    for (const waiter of refused) {
      waiting.delete(waiter);
      waiter.reject(told);
    }
  };
  return {
    size: () => waiting.size,
    wait: (sentAfterMs) =>
      new Promise((resolve, reject) => {
        waiting.add({ sinceMs: performance.now(), sentAfterMs, resolve, reject });
      }),
    release(sentAtMs) {
      for (const waiter of waiting) {
        if (waiter.sentAfterMs > sentAtMs) continue;
        waiting.delete(waiter);
        waiter.resolve();
      }
    },
    refuse,
    refuseAll: (error) =>
      refuse(
        () => true,
        () => error,
      ),
  };
}
