import { randomInt } from "node:crypto";

/** One seed for each run. A failing property prints it; `SEED=123 npm test -- FILE` repeats the same values. */
export const SEED = process.env.SEED === undefined ? randomInt(2 ** 31) : Number(process.env.SEED);

/** One of several that cost too much together. */
export const pickBySeed = <Item>(items: readonly Item[]): Item => items[SEED % items.length] as Item;

export type Random = {
  /** A whole number from 0 to below - 1. */
  below(below: number): number;
  pick<Item>(items: readonly Item[]): Item;
  chance(share: number): boolean;
};

/** A small seeded generator (mulberry32): fast, and the same on every machine. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    chance: (share) => next() < share,
  };
}
