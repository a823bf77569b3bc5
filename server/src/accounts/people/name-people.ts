import type { Queryable } from "../../db/database.ts";
import { listNames, listNamesOfAll, type Team } from "../account-queries.ts";

/** The email addresses of people by their ids, also of those who have left the team. Nobody else is named. */
export async function namePeople(
  db: Queryable,
  team: Team,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await listNames(db, team, [...new Set(ids)]);
  return new Map(rows.map(({ id, email }) => [id, email]));
}

/** The same for the operator, who may know everyone. */
export async function nameEveryone(
  db: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await listNamesOfAll(db, [...new Set(ids)]);
  return new Map(rows.map(({ id, email }) => [id, email]));
}
