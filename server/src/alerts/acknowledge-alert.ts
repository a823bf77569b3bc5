import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { type Alert, toAlert } from "./list-alerts.ts";
import { lockAlert, markAcknowledged } from "./queries.ts";

/** Why an alert was not acknowledged, in a sentence for the person who asked. */
export class AlertRefused extends RangeError {}

/** A person takes an alert on. It stays open until its condition ends. Of two who do so at once, one is told about the other. */
export const acknowledgeAlert = (
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  by: By & { actor: { kind: "staff" | "command" } },
): Promise<Alert> =>
  db.transaction(async (tx) => {
    const row = await lockAlert(tx, id);
    if (!row) throw new AlertRefused(`there is no alert ${id}; see: scrip alert list`);
    if (row.resolvedAt) throw new AlertRefused("this alert is resolved already");
    if (row.acknowledgedAt)
      throw new AlertRefused(`${row.acknowledgedId} has acknowledged this alert already`);
    const now = clock.now();
    await markAcknowledged(tx, id, by.actor, now);
    await recordActivity(tx, clock, {
      ...by,
      action: "alert.acknowledged",
      object: { kind: "alert", id },
      after: { kind: row.kind, subject: row.subject },
    });
    const { kind, id: actorId } = by.actor;
    return toAlert({ ...row, acknowledgedAt: now, acknowledgedKind: kind, acknowledgedId: actorId });
  });
