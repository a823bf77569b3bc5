import type { Queryable } from "../db/database.ts";
import { isPlainText } from "../lib/plain-text.ts";
import { insertSupplier, type NewSupplier, type SupplierRow } from "./queries.ts";

export const RATE_PER_SECOND_DEFAULT = 50;
export const RATE_PER_SECOND_MAX = 10_000;
const NAME_MAX_CHARACTERS = 200;

/** Stores a new supplier under a unique name. It sells nothing until a route leads to it. */
export async function storeSupplier(db: Queryable, supplier: NewSupplier): Promise<SupplierRow> {
  const name = checkSupplierName(supplier.name);
  checkRate(supplier.ratePerSecond);
  const row = await insertSupplier(db, { ...supplier, name });
  if (!row) throw nameTaken(name);
  return row;
}

export const nameTaken = (name: string): RangeError =>
  new RangeError(`there is a supplier named "${name}" already; see: scrip supplier list`);

/** The name, trimmed. */
export function checkSupplierName(text: string): string {
  const name = text.trim();
  if (name.length > 0 && name.length <= NAME_MAX_CHARACTERS && isPlainText(name)) return name;
  throw new RangeError(`a supplier's name has 1 to ${NAME_MAX_CHARACTERS} printable characters`);
}

export function checkRate(ratePerSecond: number): number {
  if (Number.isInteger(ratePerSecond) && ratePerSecond >= 1 && ratePerSecond <= RATE_PER_SECOND_MAX)
    return ratePerSecond;
  throw new RangeError(`a supplier's rate is 1 to ${RATE_PER_SECOND_MAX} purchases per second`);
}
