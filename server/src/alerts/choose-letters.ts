import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { deleteReader, insertReader } from "./queries.ts";

/** Whether a member of the staff gets a letter about each new alert. */
export const chooseAlertLetters = (
  { db, clock }: { db: Db; clock: Clock },
  accountId: string,
  wants: boolean,
  by: By,
): Promise<void> =>
  db.transaction(async (tx) => {
    const isChange = wants
      ? await insertReader(tx, accountId, clock.now())
      : await deleteReader(tx, accountId);
    if (!isChange) return;
    await recordActivity(tx, clock, {
      ...by,
      action: "alert.letters_chosen",
      object: { kind: "account", id: accountId },
      after: { wants },
    });
  });
