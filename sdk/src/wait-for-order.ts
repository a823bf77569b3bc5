import { localError, ScripError } from "./errors.ts";
import { type Connection, checkTimeout } from "./http/connection.ts";
import type { CallOptions } from "./types/common.ts";
import type { Order, WaitOptions } from "./types/orders.ts";

const DEFAULT_WAIT_MS = 120_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** `failed` is a short stop before `refunded`. An order stays `failed` only while its refund is on hold. */
const FAILED_GRACE_MS = 5_000;

/**
 * Returns the order once nothing more will happen to it. Polls less and less often. A poll with a temporary failure is
 * repeated.
 */
export async function waitForOrder(
  { timing, timeoutMs: lookTimeoutMs }: Connection,
  look: (options: CallOptions) => Promise<Order>,
  { timeoutMs = DEFAULT_WAIT_MS, signal }: WaitOptions = {},
): Promise<Order> {
  const endMs = timing.now() + checkTimeout(timeoutMs);
  let failedSinceMs: number | undefined;
  let lastSeen: { orderStatus?: string } = {};
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
    const leftMs = Math.ceil(endMs - timing.now());
    if (leftMs <= 0) throw stillOpen(timeoutMs, lastSeen);
    const limits = { signal, timeoutMs: Math.min(lookTimeoutMs, leftMs), retries: 0 };
    const seen = await look(limits).catch(passing);
    if (!(seen instanceof ScripError)) {
      lastSeen = { orderStatus: seen.status };
      failedSinceMs = seen.status === "failed" ? (failedSinceMs ?? timing.now()) : undefined;
      const isResting = failedSinceMs !== undefined && timing.now() - failedSinceMs >= FAILED_GRACE_MS;
      if (isResting || seen.status === "completed" || seen.status === "refunded") return seen;
    }
    const askedMs = seen instanceof ScripError ? (seen.retryAfterMs ?? 0) : 0;
    await timing.wait(Math.min(Math.max(pauseMs, askedMs), Math.max(0, endMs - timing.now())), signal);
  }
}

function passing(error: unknown): ScripError {
  if (error instanceof ScripError && error.isRetryable) return error;
  throw error;
}

const stillOpen = (timeoutMs: number, members: { orderStatus?: string }): ScripError =>
  localError("timeout", `Timed out after ${timeoutMs} ms waiting for the order.`, { members });
