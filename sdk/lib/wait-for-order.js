import { checkTimeout } from "./connection.js";
import { localError, ScripError } from "./errors.js";
const DEFAULT_WAIT_MS = 120_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 2_000;
/** `failed` is a short stop on the way to `refunded`, and the resting place of an order whose refund is on hold. */
const FAILED_GRACE_MS = 5_000;
/**
 * The order once nothing more will happen to it by itself. Looks again and again, less and less often; a look that fails
 * for a passing reason is one more reason to look again.
 */
export async function waitForOrder({ timing, timeoutMs: lookTimeoutMs }, look, { timeoutMs = DEFAULT_WAIT_MS, signal } = {}) {
    const endMs = timing.now() + checkTimeout(timeoutMs);
    let failedSinceMs;
    let lastSeen = {};
    for (let pauseMs = FIRST_PAUSE_MS;; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
        const leftMs = Math.ceil(endMs - timing.now());
        if (leftMs <= 0)
            throw stillOpen(timeoutMs, lastSeen);
        const limits = { signal, timeoutMs: Math.min(lookTimeoutMs, leftMs), retries: 0 };
        const seen = await look(limits).catch(passing);
        if (!(seen instanceof ScripError)) {
            lastSeen = { orderStatus: seen.status };
            failedSinceMs = seen.status === "failed" ? (failedSinceMs ?? timing.now()) : undefined;
            const isResting = failedSinceMs !== undefined && timing.now() - failedSinceMs >= FAILED_GRACE_MS;
            if (isResting || seen.status === "completed" || seen.status === "refunded")
                return seen;
        }
        const askedMs = seen instanceof ScripError ? (seen.retryAfterMs ?? 0) : 0;
        await timing.wait(Math.min(Math.max(pauseMs, askedMs), Math.max(0, endMs - timing.now())), signal);
    }
}
function passing(error) {
    if (error instanceof ScripError && error.isRetryable)
        return error;
    throw error;
}
const stillOpen = (timeoutMs, members) => localError("timeout", `The order was not seen to end within ${timeoutMs} ms.`, { members });
