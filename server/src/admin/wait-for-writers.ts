import { setTimeout as wait } from "node:timers/promises";
import type { Queryable } from "../db/database.ts";
import { listWriters } from "./rotate-queries.ts";

const LOOK_EVERY_MS = 50;

/**
 * Waits for all transactions that are writing now. Their values are not visible before they end and can be sealed
 * under an older key. Returns false if one of them outlasts the limit.
 */
export async function waitForWriters(db: Queryable, limitMs: number): Promise<boolean> {
  const deadlineMs = performance.now() + limitMs;
  let awaited = await listWriters(db);
  while (awaited.length > 0) {
    if (performance.now() > deadlineMs) return false;
    await wait(LOOK_EVERY_MS);
    const present = new Set((await listWriters(db)).map((writer) => writer.id));
    awaited = awaited.filter((writer) => present.has(writer.id));
  }
  return true;
}
