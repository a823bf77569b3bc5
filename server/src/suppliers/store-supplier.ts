import type { Queryable } from "../db/database.ts";
import { isPlainText } from "../lib/plain-text.ts";
import { insertSupplier, type NewSupplier, type SupplierRow } from "./queries.ts";

export const RATE_PER_SECOND_DEFAULT = 50;
const RATE_PER_SECOND_MAX = 10_000;
const NAME_MAX_CHARACTERS = 200;

/** A new supplier under a name that no other has. It sells nothing until a route leads to it. */
export async function storeSupplier(db: Queryable, supplier: NewSupplier): Promise<SupplierRow> {
  const name = supplier.name.trim();
  if (name.length === 0 || name.length > NAME_MAX_CHARACTERS || !isPlainText(name)) {
    throw new RangeError(`a supplier's name has 1 to ${NAME_MAX_CHARACTERS} printable characters`);
  }
  const { ratePerSecond } = supplier;
  if (!Number.isInteger(ratePerSecond) || ratePerSecond < 1 || ratePerSecond > RATE_PER_SECOND_MAX) {
    throw new RangeError(`a supplier's rate is 1 to ${RATE_PER_SECOND_MAX} purchases per second`);
  }
  const row = await insertSupplier(db, { ...supplier, name });
  if (!row) throw new RangeError(`there is a supplier named "${name}" already; see: scrip supplier list`);
  return row;
}
