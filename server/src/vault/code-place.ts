/** A unit of an order, as codes are bound to it. */
export type UnitKey = { orderId: string; lineIndex: number; unitIndex: number };

/**
 * Where a sealed code belongs. The seal authenticates this text without storing it, so a code moved to another row
 * does not open.
 */
export const stockPlace = (codeId: string, productId: string): string =>
  `code in stock|live|${codeId}|${productId}`;

export const deliveredPlace = (unit: UnitKey, productId: string): string =>
  `code delivered|live|${unit.orderId}|${unit.lineIndex}|${unit.unitIndex}|${productId}`;

export const quarantinePlace = (codeId: string, unit: UnitKey, productId: string): string =>
  `code in quarantine|live|${codeId}|${unit.orderId}|${unit.lineIndex}|${unit.unitIndex}|${productId}`;
