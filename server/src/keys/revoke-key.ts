import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { type KeyRow, markKeyRevoked } from "./queries.ts";

/**
 * After this returns, no later request is accepted with the key, on any node. During a failover, a process can still
 * read from the old primary until its lease expires; see db/primary/watch-primary.ts.
 */
export async function revokeKey(db: Db, clock: Clock, id: string): Promise<KeyRow> {
  const [key] = await markKeyRevoked(db, id, clock.now());
  if (!key) throw new RangeError(`there is no key ${id}`);
  return key;
}
