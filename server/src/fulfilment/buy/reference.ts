import type { UnitKey } from "../../vault/code-place.ts";

/**
 * The reference of a purchase at a supplier. It is made of the attempt's key, so that a worker that takes over after a
 * crash uses the same one, and no other purchase can share it.
 */
export const referenceOf = (unit: UnitKey, number: number): string =>
  `${unit.orderId}.${unit.lineIndex}.${unit.unitIndex}.${number}`;
