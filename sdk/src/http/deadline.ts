import { localError, type ScripError } from "../errors.ts";

export type Deadline = {
  /** Aborted when the time is up or the caller aborts. */
  signal: AbortSignal;
  /** The work's result, or the deadline's error as soon as the deadline passes, even if the work continues. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Stops the work that is still running. */
  abandon(): void;
  clear(): void;
};

/** Without AbortSignal.any and .timeout, which Node 18 lacks or does not wait for. */
export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let giveUp: (error: ScripError) => void = () => {};
  const passed = new Promise<never>((_resolve, reject) => {
    giveUp = (error) => {
      // Rejected before the signal, so that the deadline's error wins over the one that fetch makes of the signal.
      reject(error);
      controller.abort();
    };
  });
  passed.catch(() => {});
  const onAbort = () => giveUp(localError("aborted", "The call was aborted."));
  const timer = setTimeout(
    () => giveUp(localError("timeout", `The API did not respond within ${timeoutMs} ms.`)),
    timeoutMs,
  );
  outer?.addEventListener("abort", onAbort, { once: true });
  if (outer?.aborted) onAbort();
  return {
    signal: controller.signal,
    race: (work) => Promise.race([passed, work]),
    abandon: () => controller.abort(),
    clear() {
      clearTimeout(timer);
      outer?.removeEventListener("abort", onAbort);
    },
  };
}
