import type { Queryable } from "../db/database.ts";
import { type AlertKind, findCondition, runbookAnchor } from "./conditions.ts";
import { type AlertRow, findEvaluatedAt, listOpenRows, listOpenRowsOf, listResolvedRows } from "./queries.ts";

export type Alert = AlertRow & {
  title: string;
  /** The page of the console where a person acts; undefined for a kind that only a newer version knows. */
  path: string | undefined;
  /** The heading of its runbook in the operator's guide. */
  runbook: string;
};

const OPEN_SHOWN_MAX = 200;
const RESOLVED_SHOWN_MAX = 50;
/** Conditions are evaluated twice a minute. A process that was restarted is no reason to worry. */
const STALE_MS = 5 * 60_000;

export type Alerts = {
  open: Alert[];
  /** The newest that ended. */
  resolved: Alert[];
  evaluatedAt: Date | undefined;
  /** Nobody has evaluated the conditions for minutes, so the list proves nothing. */
  isStale: boolean;
};

export async function listAlerts(db: Queryable, now: Date): Promise<Alerts> {
  const evaluatedAt = await findEvaluatedAt(db);
  return {
    open: (await listOpenRows(db, OPEN_SHOWN_MAX)).map(toAlert),
    resolved: (await listResolvedRows(db, RESOLVED_SHOWN_MAX)).map(toAlert),
    evaluatedAt,
    isStale: evaluatedAt === undefined || evaluatedAt.getTime() < now.getTime() - STALE_MS,
  };
}

/** Open alerts of these kinds, the newest first, at most as many as a page shows. */
export const listOpenAlerts = async (db: Queryable, kinds: readonly AlertKind[]): Promise<Alert[]> =>
  (await listOpenRowsOf(db, kinds, OPEN_SHOWN_MAX)).map(toAlert);

export function toAlert(row: AlertRow): Alert {
  const condition = findCondition(row.kind);
  const title = condition?.title(row.facts) ?? `${row.kind}: ${row.subject}`;
  const { supplierName } = row;
  return {
    ...row,
    title: supplierName === null ? title : title.replace(String(row.facts.supplierId), () => supplierName),
    path: condition?.path(row.facts),
    runbook: runbookAnchor(row.kind),
  };
}
