import { hash } from "node:crypto";

/** Draws that follow from a seed: the same seed gives the same draws on every machine. */
export type Chance = {
  /** From 0 to below 1. */
  share(): number;
  /** A whole number between these two, both included. */
  between(low: number, high: number): number;
  happens(probability: number): boolean;
  /** One of the items, by weight. */
  pick<Item>(items: readonly (readonly [item: Item, weight: number])[]): Item;
};

export function createChance(seed: number): Chance {
  let drawn = 0;
  const share = (): number => {
    drawn += 1;
    return hash("sha256", `${seed} ${drawn}`, "buffer").readUInt32BE(0) / 2 ** 32;
  };
  return {
    share,
    between: (low, high) => low + Math.floor(share() * (high - low + 1)),
    happens: (probability) => share() < probability,
    pick: (items) => {
      let left = share() * items.reduce((sum, [, weight]) => sum + weight, 0);
      const found = items.find(([, weight]) => {
        left -= weight;
        return left < 0;
      });
      return (found ?? (items[0] as (typeof items)[number]))[0];
    },
  };
}
