import type { Db } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Also } from "../create-key.ts";
import { type KeyRow, lockKey } from "../queries.ts";
import { lockWalletOfKey } from "./limit-queries.ts";
import { clearFreeze } from "./velocity-queries.ts";

const HOUR_MS = 3_600_000;

/** Lets a frozen key place orders again. What it spends until the next full hour does not freeze it. */
export function unfreezeKey(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  also?: Also<KeyRow>,
): Promise<KeyRow> {
  return db.transaction(async (tx) => {
    await lockWalletOfKey(tx, id);
    const before = await lockKey(tx, id);
    if (!before) throw new RangeError(`there is no key ${id}`);
    if (before.frozenAt === null) return before;
    await clearFreeze(tx, id, nextHour(clock.now()));
    await also?.(tx, before);
    return { ...before, frozenAt: null };
  });
}

const nextHour = (now: Date): Date => new Date((Math.floor(now.getTime() / HOUR_MS) + 1) * HOUR_MS);
