import type { Facts } from "./conditions.ts";

export type Found = { subject: string; facts: Facts };
export type OpenAlert = { id: string; subject: string; facts: Facts };

export type AlertDecision = {
  raise: Found[];
  /** Alerts whose facts have changed. */
  refresh: { id: string; facts: Facts }[];
  /** The ids of alerts whose condition has ended. */
  resolve: string[];
};

/**
 * What a round does to the alerts of one kind. When so many subjects were found that the rest was not read, a subject that was
 * not found can still be among the rest: then nothing is resolved.
 */
export function decideAlerts(
  found: readonly Found[],
  open: readonly OpenAlert[],
  foundMax: number,
): AlertDecision {
  const present = new Map(open.map((alert) => [alert.subject, alert]));
  const holding = new Map(found.map((one) => [one.subject, one]));
  const isCut = found.length >= foundMax;
  return {
    raise: found.filter(({ subject }) => !present.has(subject)).slice(0, Math.max(foundMax - open.length, 0)),
    refresh: open.flatMap(({ id, subject, facts }) => {
      const now = holding.get(subject)?.facts;
      return now && !isSame(now, facts) ? [{ id, facts: now }] : [];
    }),
    resolve: isCut ? [] : open.filter(({ subject }) => !holding.has(subject)).map(({ id }) => id),
  };
}

/** PostgreSQL orders the members of JSON the same way each time. */
const isSame = (one: Facts, other: Facts): boolean => JSON.stringify(one) === JSON.stringify(other);
