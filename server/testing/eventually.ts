import { setTimeout as wait } from "node:timers/promises";

const LOOK_EVERY_MS = 10;
/** Costs nothing where the condition comes true; on a busy machine that can take long. */
const DEADLINE_MS = 60_000;

/** Waits for a condition instead of a time: polls until it is true, and fails if it never is. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  { deadlineMs = DEADLINE_MS, everyMs = LOOK_EVERY_MS }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`timed out after ${deadlineMs} ms waiting for: ${what}`);
    await wait(everyMs);
  }
}
