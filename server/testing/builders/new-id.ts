import { systemClock } from "../../src/lib/clock.ts";
import { createIds, type IdPrefix, idsOf } from "../../src/lib/ids.ts";

/** An id for rows that a test writes itself, of now or of a given time. */
export const newId = (prefix: IdPrefix, atMs?: number): string =>
  atMs === undefined ? idsOf(systemClock)(prefix) : createIds({ now: () => new Date(atMs) })(prefix);
