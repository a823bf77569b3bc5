import type { UnitKey } from "../../vault/code-place.ts";

/**
 * What a supplier knows a purchase by. It is made of the attempt's own key, so that a worker that takes over after a
 * crash asks under the same one, and another purchase can never share it.
 */
export const referenceOf = (unit: UnitKey, number: number): string =>
  `${unit.orderId}.${unit.lineIndex}.${unit.unitIndex}.${number}`;
