import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { markKeysUsed } from "./queries.ts";

export type UseRecorder = {
  /** Notes that the key was used; returns at once. */
  record(keyId: string, ip: string, lastUsedAt: Date | null): void;
  /** Writes what is still noted. */
  flush(): Promise<void>;
};

const USE_INTERVAL_MS = 60_000;
const FLUSH_DELAY_MS = 250;

/**
 * Keeps the time and address of each key's last use, written at most once a minute and never in a request's way: what
 * is noted is written together a moment later. A failed write is dropped: the next use notes it again.
 */
export function createUseRecorder(db: Db, clock: Clock, onError: (error: unknown) => void): UseRecorder {
  const noted = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;

  const flush = async () => {
    clearTimeout(timer);
    timer = undefined;
    if (noted.size === 0) return;
    const uses = { ids: [...noted.keys()], ips: [...noted.values()] };
    noted.clear();
    const now = clock.now();
    try {
      await markKeysUsed(db, uses, now, new Date(now.getTime() - USE_INTERVAL_MS));
    } catch (error) {
      onError(error);
    }
  };

  return {
    record(keyId, ip, lastUsedAt) {
      if (lastUsedAt && clock.now().getTime() - lastUsedAt.getTime() < USE_INTERVAL_MS) return;
      if (!noted.has(keyId)) noted.set(keyId, ip);
      timer ??= setTimeout(() => void flush(), FLUSH_DELAY_MS).unref();
    },
    flush,
  };
}
