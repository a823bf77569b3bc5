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
/** The longest way to write an address. What a proxy passes on may be no address at all, and much longer. */
const ADDRESS_MAX_CHARACTERS = 45;

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
    // In order of id: two servers that lock the same rows the other way round would deadlock.
    const sorted = [...noted].sort(([a], [b]) => (a < b ? -1 : 1));
    const uses = { ids: sorted.map(([id]) => id), ips: sorted.map(([, ip]) => ip) };
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
      if (!noted.has(keyId)) noted.set(keyId, ip.slice(0, ADDRESS_MAX_CHARACTERS));
      timer ??= setTimeout(() => void flush(), FLUSH_DELAY_MS).unref();
    },
    flush,
  };
}
