import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { type Also, checkKey } from "./create-key.ts";
import { changeLimits } from "./limits/change-limits.ts";
import { lockWalletOfKey } from "./limits/limit-queries.ts";
import { isChanged, type LimitChanges } from "./limits/read-limits.ts";
import { type KeyRow, lockKey, updateKey } from "./queries.ts";

export type KeyChanges = {
  name?: string | undefined;
  scopes?: readonly string[] | undefined;
  /** Empty for any address. */
  allowedIps?: readonly string[] | undefined;
  limits?: LimitChanges | undefined;
};

export type ChangedKey = { before: KeyRow; after: KeyRow };

/** Changes what a key is called, what it may do and spend. Every process follows from the next request on. */
export function changeKey(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  changes: KeyChanges,
  also?: Also<ChangedKey>,
): Promise<ChangedKey> {
  return db.transaction(async (tx) => {
    const { limits } = changes;
    const isLimited = limits !== undefined && isChanged(limits);
    // Before the key, as placements and refunds do.
    if (isLimited) await lockWalletOfKey(tx, id);
    const before = await lockKey(tx, id);
    if (!before) throw new RangeError(`there is no key ${id}`);
    if (before.revokedAt) throw new RangeError(`key ${id} is revoked and cannot be changed`);
    const changed = {
      name: changes.name ?? before.name,
      scopes: [...(changes.scopes ?? before.scopes)],
      allowedIps: [...(changes.allowedIps ?? before.allowedIps)],
    };
    checkKey(changed);
    if (isLimited) await changeLimits(tx, before, limits, clock.now());
    const after = await updateKey(tx, id, changed);
    if (!after) throw new Error("a locked key has gone");
    await also?.(tx, { before, after });
    return { before, after };
  });
}
