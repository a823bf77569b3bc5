import { type StatementEntry, SupplierUnreadable } from "../supplier.ts";

/** A line of a statement as it was read. What could not be read is undefined. */
export type ReadEntry = {
  state: StatementEntry["state"] | undefined;
  reference: string | undefined;
  upstreamId: string | undefined;
  price: StatementEntry["price"] | undefined;
  at: Date;
};

/**
 * A line that can be compared. One that cannot spoils the statement: left out, its purchase would look as if the supplier did not know
 * it.
 */
export function checkedEntry({ state, reference, upstreamId, price, at }: ReadEntry): StatementEntry {
  const isCharged = state === "completed" || state === "reversed";
  const isNamed = reference !== undefined || upstreamId !== undefined;
  if (state === undefined || !isNamed || (isCharged && !price)) throw new SupplierUnreadable("nonsense");
  return {
    state,
    ...(reference === undefined ? {} : { reference }),
    ...(upstreamId === undefined ? {} : { upstreamId }),
    ...(price ? { price } : {}),
    ...(Number.isNaN(at.getTime()) ? {} : { at }),
  };
}

/** What every product of a catalog has. Left out, a product would look as if the supplier had given it up. */
export function checkedText(text: string | undefined): string {
  if (text === undefined) throw new SupplierUnreadable("nonsense");
  return text;
}
