import { setTimeout as wait } from "node:timers/promises";

const LOOK_EVERY_MS = 10;
/** Costs nothing where the condition comes true; on a busy machine that can take long. */
const DEADLINE_MS = 60_000;

/** Waits for a condition, not for a time: asks again until it answers, and fails when it never does. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${DEADLINE_MS} ms for this: ${what}`);
    await wait(LOOK_EVERY_MS);
  }
}
