import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { type FxRate, parsePair, parseRate } from "./fx-rate.ts";
import { insertRates } from "./queries.ts";

export type SetRateInput = { pair: string; rate: string; until: Date | undefined };

/** Pins a rate by hand. It is stronger than every other source until it ends. */
export async function setRate(db: Db, clock: Clock, by: By, input: SetRateInput): Promise<FxRate> {
  const pair = parsePair(input.pair);
  const rate = parseRate(input.rate);
  const now = clock.now();
  if (input.until !== undefined && input.until <= now) throw new RangeError("--until must be in the future");
  return db.transaction(async (tx) => {
    const until = input.until ?? null;
    const [pinned] = await insertRates(
      tx,
      [{ ...pair, rate, source: "pin", supplierId: null, at: now, until }],
      now,
    );
    if (!pinned) throw new Error("a pin was not written");
    await recordActivity(tx, clock, {
      ...by,
      action: "rate.pinned",
      object: { kind: "rate", id: `${pair.base}/${pair.quote}` },
      after: { rate, ...(until === null ? {} : { until: until.toISOString() }) },
    });
    return pinned;
  });
}
