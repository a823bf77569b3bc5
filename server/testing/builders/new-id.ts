import { systemClock } from "../../src/lib/clock.ts";
import { createIds, type IdPrefix, type Ids, idsOf } from "../../src/lib/ids.ts";

/** A source for each given time: ids of the same time sort in the order in which they were made. */
const sources = new Map<number, Ids>();

/** An id for rows that a test writes itself, of now or of a given time. */
export function newId(prefix: IdPrefix, atMs?: number): string {
  if (atMs === undefined) return idsOf(systemClock)(prefix);
  const ids = sources.get(atMs) ?? createIds({ now: () => new Date(atMs) });
  sources.set(atMs, ids);
  return ids(prefix);
}
