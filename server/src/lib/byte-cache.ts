/** Keeps values whose sizes add up to at most `maxBytes`, and among them those that are in use. */
export type ByteCache<Value> = { get(key: string): Value | undefined; set(key: string, value: Value): void };

/** What an entry costs beside its value: the key, the map's own bookkeeping. */
const ENTRY_OVERHEAD_BYTES = 256;

type Entry<Value> = { value: Value; bytes: number; used: boolean };

/**
 * The clock algorithm: a use only marks its entry, so that a hit costs one look-up; when room is needed the oldest
 * entries go, but one that was used since it was last looked at is spared once and put at the end.
 */
export function createByteCache<Value>(maxBytes: number, sizeOf: (value: Value) => number): ByteCache<Value> {
  const entries = new Map<string, Entry<Value>>();
  let heldBytes = 0;

  const makeRoom = () => {
    for (const [key, entry] of entries) {
      if (heldBytes <= maxBytes) return;
      entries.delete(key);
      if (entry.used) entries.set(key, { ...entry, used: false });
      else heldBytes -= entry.bytes;
    }
  };

  return {
    get(key) {
      const entry = entries.get(key);
      if (!entry) return undefined;
      entry.used = true;
      return entry.value;
    },
    set(key, value) {
      const bytes = sizeOf(value) + ENTRY_OVERHEAD_BYTES;
      heldBytes += bytes - (entries.get(key)?.bytes ?? 0);
      entries.delete(key);
      entries.set(key, { value, bytes, used: false });
      makeRoom();
    },
  };
}
