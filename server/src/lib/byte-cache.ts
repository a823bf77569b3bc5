/** Keeps values whose sizes add up to at most `maxBytes`, preferring the ones in use. */
export type ByteCache<Value> = { get(key: string): Value | undefined; set(key: string, value: Value): void };

/** The cost of an entry besides its value: the key and the map's bookkeeping. */
const ENTRY_OVERHEAD_BYTES = 256;

type Entry<Value> = { value: Value; bytes: number; used: boolean };

/**
 * The clock algorithm. A hit only marks its entry, so it costs one lookup. Eviction starts at the oldest entry; an
 * entry used since the last sweep is unmarked and moved to the end instead.
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
