import { setTimeout as wait } from "node:timers/promises";

const LOOK_EVERY_MS = 10;
/** What has not come true within so long is looked at less often: each look takes time from those who are to make it true. */
const SOON_MS = 500;
const LOOK_LATER_EVERY_MS = 25;
/** Costs nothing where the condition comes true; on a busy machine that can take long. */
const DEADLINE_MS = 60_000;

/** Waits for a condition instead of a time: polls until it is true, and fails if it never is. */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | undefined>,
  { deadlineMs = DEADLINE_MS, everyMs }: { deadlineMs?: number; everyMs?: number } = {},
): Promise<T> {
  const startedAt = Date.now();
  const deadline = startedAt + deadlineMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`timed out after ${deadlineMs} ms waiting for: ${what}`);
    await wait(everyMs ?? (Date.now() - startedAt < SOON_MS ? LOOK_EVERY_MS : LOOK_LATER_EVERY_MS));
  }
}
