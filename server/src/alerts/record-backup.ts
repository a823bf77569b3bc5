import sql from "sql-template-tag";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db, Queryable } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";

export type Backup = { recordedAt: Date; note: string };

const NOTE_MAX_CHARACTERS = 200;

/** The operator's backup script calls this after a backup that it has checked. */
export const recordBackup = (
  { db, clock }: { db: Db; clock: Clock },
  note: string,
  by: By,
): Promise<Backup> => {
  if (note.length > NOTE_MAX_CHARACTERS)
    throw new RangeError(`a note has at most ${NOTE_MAX_CHARACTERS} characters`);
  const recordedAt = clock.now();
  return db.transaction(async (tx) => {
    await tx.rows(sql`insert into backups (recorded_at, note) values (${recordedAt}, ${note})`);
    await recordActivity(tx, clock, {
      ...by,
      action: "backup.recorded",
      object: { kind: "backup", id: recordedAt.toISOString() },
      after: { note },
    });
    return { recordedAt, note };
  });
};

export const findLastBackup = async (db: Queryable): Promise<Backup | undefined> => {
  const [row] = await db.rows<Backup>(
    sql`select recorded_at as "recordedAt", note from backups order by recorded_at desc limit 1`,
  );
  return row;
};
