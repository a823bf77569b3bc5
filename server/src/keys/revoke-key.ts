import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import type { Also } from "./create-key.ts";
import { emitKeyRevoked } from "./key-events.ts";
import { type KeyRow, lockKey, markKeyRevoked } from "./queries.ts";

/**
 * After this returns, no later request is accepted with the key, on any node. During a failover, a process can still
 * read from the old primary until its lease expires; see db/primary/watch-primary.ts.
 */
export function revokeKey(db: Db, clock: Clock, id: string, also?: Also<KeyRow>): Promise<KeyRow> {
  return db.transaction(async (tx) => {
    const before = await lockKey(tx, id);
    if (!before) throw new RangeError(`there is no key ${id}`);
    if (before.revokedAt) return before;
    const [key] = await markKeyRevoked(tx, id, clock.now());
    if (!key) throw new Error("a locked key has gone");
    await emitKeyRevoked(tx, clock, key);
    await also?.(tx, key);
    return key;
  });
}
