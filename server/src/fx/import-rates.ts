import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { insertRates } from "./queries.ts";
import { readEcbRates } from "./read-ecb.ts";

/** The rates of a day are published at 16:00 in Frankfurt, which is 15:00 UTC in winter and 14:00 in summer. */
const PUBLISHED_AT = "T14:00:00Z";
const DAY_MS = 86_400_000;

export type ImportedRates = { date: string; rates: number; imported: number };

/**
 * Stores the reference rates of a daily file. They are as old as their day says, whenever the file is imported. Importing the same
 * file again changes nothing.
 */
export async function importRates(db: Db, clock: Clock, by: By, text: string): Promise<ImportedRates> {
  const { date, rates } = readEcbRates(text);
  const now = clock.now();
  const publishedAt = new Date(`${date}${PUBLISHED_AT}`);
  if (publishedAt.getTime() - now.getTime() > DAY_MS)
    throw new RangeError(`the file is of ${date}, which is in the future`);
  const at = publishedAt < now ? publishedAt : now;
  return db.transaction(async (tx) => {
    const rows = rates.map((one) => ({
      ...one,
      source: "reference" as const,
      supplierId: null,
      at,
      until: null,
    }));
    const imported = (await insertRates(tx, rows, now)).length;
    if (imported > 0)
      await recordActivity(tx, clock, {
        ...by,
        action: "rate.imported",
        object: { kind: "rate", id: date },
        after: { rates: imported },
      });
    return { date, rates: rates.length, imported };
  });
}
