import type { CatalogFilters } from "./catalog-filters.ts";
import type { IndexedRow } from "./index-queries.ts";

/**
 * What filters ask of products, as numbers in arrays: 29 bytes a product. They rule out almost everything without looking at
 * text. What they let through is compared exactly.
 */
export type ProductColumns = {
  set(slot: number, row: IndexedRow | undefined, text: string): void;
  mayMatch(slot: number, wanted: Wanted): boolean;
  isAvailable(slot: number): boolean;
};

/** A filter in the same numbers. */
export type Wanted = { flags: number; flagMask: number; hashes: (number | undefined)[]; marks: Uint32Array };

const ON_SALE = 1;
const TOP_UP = 2;
const AVAILABLE = 4;
const HASHED = ["brand", "category", "country"] as const;
const MARK_WORDS = 4;
const MARK_BITS = 128;
const FIRST_CAPACITY = 1_024;

export function createProductColumns(): ProductColumns {
  let capacity = FIRST_CAPACITY;
  let flags = new Uint8Array(capacity);
  let hashes = new Int32Array(capacity * HASHED.length);
  let marks = new Uint32Array(capacity * MARK_WORDS);

  const grow = (): void => {
    capacity *= 2;
    const [oldFlags, oldHashes, oldMarks] = [flags, hashes, marks];
    flags = new Uint8Array(capacity);
    hashes = new Int32Array(capacity * HASHED.length);
    marks = new Uint32Array(capacity * MARK_WORDS);
    flags.set(oldFlags);
    hashes.set(oldHashes);
    marks.set(oldMarks);
  };

  return {
    set(slot, row, text) {
      while (slot >= capacity) grow();
      flags[slot] = row ? flagsOf(row) : 0;
      for (const [at, name] of HASHED.entries())
        hashes[slot * HASHED.length + at] = hashOf(row?.[name] ?? "");
      marks.fill(0, slot * MARK_WORDS, (slot + 1) * MARK_WORDS);
      addMarks(text, marks, slot * MARK_WORDS);
    },
    mayMatch(slot, wanted) {
      if (((flags[slot] ?? 0) & wanted.flagMask) !== wanted.flags) return false;
      for (let at = 0; at < HASHED.length; at += 1) {
        const hash = wanted.hashes[at];
        if (hash !== undefined && hashes[slot * HASHED.length + at] !== hash) return false;
      }
      for (let at = 0; at < MARK_WORDS; at += 1) {
        const bits = wanted.marks[at] ?? 0;
        if (((marks[slot * MARK_WORDS + at] ?? 0) & bits) >>> 0 !== bits) return false;
      }
      return true;
    },
    isAvailable: (slot) => ((flags[slot] ?? 0) & AVAILABLE) !== 0,
  };
}

export function toWanted(filters: CatalogFilters, words: readonly string[]): Wanted {
  const marks = new Uint32Array(MARK_WORDS);
  for (const word of words) addMarks(word, marks, 0);
  const { type } = filters;
  return {
    flags: ON_SALE | (type === "top_up" ? TOP_UP : 0),
    flagMask: ON_SALE | (type === undefined ? 0 : TOP_UP),
    hashes: HASHED.map((name) => {
      const text = filters[name];
      return text === undefined ? undefined : hashOf(text);
    }),
    marks,
  };
}

const flagsOf = (row: IndexedRow): number =>
  (row.isOnSale ? ON_SALE : 0) |
  (row.type === "top_up" ? TOP_UP : 0) |
  (row.supply === "available" ? AVAILABLE : 0);

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash | 0;
}

/** One bit for each pair of neighbouring characters. A text has all bits of each text in it. */
function addMarks(text: string, marks: Uint32Array, offset: number): void {
  for (let at = 1; at < text.length; at += 1) {
    const pair = Math.imul(text.charCodeAt(at - 1) * 31 + text.charCodeAt(at), 0x9e3779b1) >>> 0;
    const bit = pair % MARK_BITS;
    marks[offset + (bit >>> 5)] = (marks[offset + (bit >>> 5)] ?? 0) | (1 << (bit & 31));
  }
}
