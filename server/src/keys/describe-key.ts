import type { Queryable } from "../db/database.ts";
import { keyPrefix } from "./key-format.ts";
import { findKeyName } from "./queries.ts";

/** What can be shown of a key: its name, its prefix and its last four characters. */
export type KeyDescription = { id: string; name: string; hint: string };

/** A key of this reseller, usable or not. */
export async function describeKey(
  db: Queryable,
  resellerId: string,
  id: string,
): Promise<KeyDescription | undefined> {
  const row = await findKeyName(db, resellerId, id);
  return row && { id, name: row.name, hint: `${keyPrefix(row.environment)}…${row.lastFour}` };
}
