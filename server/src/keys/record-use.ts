import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { markKeysUsed } from "./queries.ts";

export type UseRecorder = {
  /** Records that the key was used. Returns immediately. */
  record(keyId: string, ip: string, lastUsedAt: Date | null): void;
  /** Writes pending uses. */
  flush(): Promise<void>;
};

const USE_INTERVAL_MS = 60_000;
const FLUSH_DELAY_MS = 250;
/** The longest form of an address. A proxy can pass on text that is not an address and much longer. */
const ADDRESS_MAX_CHARACTERS = 45;

/**
 * Stores the time and address of each key's last use, at most once a minute and outside the request: pending uses
 * are written together a moment later. A failed write is dropped, because the next use records it again.
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
      if (!noted.has(keyId)) noted.set(keyId, ip.slice(0, ADDRESS_MAX_CHARACTERS));
      timer ??= setTimeout(() => void flush(), FLUSH_DELAY_MS).unref();
    },
    flush,
  };
}
