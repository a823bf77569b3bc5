/** A set of small whole numbers, one bit each. It grows to the largest number in it. */
export type SlotSet = {
  has(slot: number): boolean;
  put(slot: number, isIn: boolean): void;
  bytes(): number;
};

const BITS = 32;

export function createSlotSet(): SlotSet {
  let words = new Uint32Array(0);
  return {
    has: (slot) => (((words[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1,
    put(slot, isIn) {
      const index = slot >>> 5;
      if (index >= words.length) {
        if (!isIn) return;
        const grown = new Uint32Array(Math.max(index + 1, words.length * 2));
        grown.set(words);
        words = grown;
      }
      const bit = 1 << (slot & (BITS - 1));
      words[index] = isIn ? (words[index] ?? 0) | bit : (words[index] ?? 0) & ~bit;
    },
    bytes: () => words.byteLength,
  };
}
