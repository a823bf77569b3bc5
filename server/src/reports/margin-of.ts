/** What a margin is made of, in the currency of the sales (CONTRACT 8). */
export type MarginParts = {
  deliveredMinor: bigint;
  /** What was refunded of it later. */
  returnedMinor: bigint;
  /** What purchases cost, each converted at the rate of its order's acceptance. */
  convertedMinor: bigint;
  /** Of how many purchases that is known. */
  costedUnits: bigint;
  /** What was delivered, less what was refunded of it, where that is not known. */
  uncostedMinor: bigint;
};

/** What was delivered and kept of what has a known cost. */
export const keptOf = ({ deliveredMinor, returnedMinor, uncostedMinor }: MarginParts): bigint =>
  deliveredMinor - returnedMinor - uncostedMinor;

/** What was kept, less what it cost. Undefined where no cost is known: that is no margin of zero. */
export function marginOf(parts: MarginParts): bigint | undefined {
  const kept = keptOf(parts);
  const isKnown = parts.costedUnits > 0n || parts.convertedMinor !== 0n || kept !== 0n;
  return isKnown ? kept - parts.convertedMinor : undefined;
}

/** The parts of rows that are of one currency, whatever the currencies of their costs. */
export const sumParts = (rows: readonly MarginParts[]): MarginParts => {
  const total = (name: keyof MarginParts): bigint => rows.reduce((sum, row) => sum + row[name], 0n);
  return {
    deliveredMinor: total("deliveredMinor"),
    returnedMinor: total("returnedMinor"),
    convertedMinor: total("convertedMinor"),
    costedUnits: total("costedUnits"),
    uncostedMinor: total("uncostedMinor"),
  };
};

/** Some of the cost was in another currency than the sale. */
export const isConverted = (
  rows: readonly { currency: string; costCurrency: string; convertedMinor: bigint }[],
): boolean => rows.some((one) => one.costCurrency !== one.currency && one.convertedMinor !== 0n);
