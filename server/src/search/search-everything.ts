import type { KeyObject } from "node:crypto";
import type { Queryable } from "../db/database.ts";
import { digestKey } from "../keys/key-format.ts";
import { BRANCHES } from "./branch-queries.ts";
import type { Found, FoundKind } from "./found.ts";
import { listFoundRows } from "./queries.ts";
import type { Term } from "./read-term.ts";

/**
 * Everything of these kinds that the term could mean, exact matches first, each thing once. It is one statement, in which each
 * kind is found by an index.
 */
export async function searchEverything(
  { db, pepper }: { db: Queryable; pepper: KeyObject },
  term: Term,
  kinds: ReadonlySet<FoundKind>,
): Promise<Found[]> {
  const branches = BRANCHES.filter(({ kind }) => kinds.has(kind)).flatMap(({ kind, find }) => {
    const found = find(term, (key) => digestKey(pepper, key));
    return found ? [{ kind, found }] : [];
  });
  if (branches.length === 0) return [];
  const rows = await listFoundRows(db, branches);
  const once = new Map<string, Found>();
  for (const row of rows) if (!once.has(`${row.kind} ${row.id}`)) once.set(`${row.kind} ${row.id}`, row);
  return [...once.values()];
}
