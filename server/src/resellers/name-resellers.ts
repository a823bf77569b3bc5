import type { Queryable } from "../db/database.ts";
import { listResellerNames } from "./queries.ts";

/** The names of resellers by their ids. */
export async function nameResellers(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await listResellerNames(db, [...new Set(ids)]);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
