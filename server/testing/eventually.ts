import { setTimeout as wait } from "node:timers/promises";

const LOOK_EVERY_MS = 10;
const DEADLINE_MS = 20_000;

/** Waits for a condition, not for a time: asks again until it answers, and fails when it never does. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error(`waited ${DEADLINE_MS} ms in vain: ${what}`);
    await wait(LOOK_EVERY_MS);
  }
}
