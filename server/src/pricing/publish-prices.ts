import { type By, recordActivity } from "../activity/record-activity.ts";
import { lockCatalog } from "../catalog/lock-catalog.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { type Chosen, lockProposals, writeProposed } from "./proposal-queries.ts";

/**
 * Publishes proposed prices in one transaction: an order sees all of them or none. A proposal that has changed since it was shown has
 * another id, and then nothing is published.
 */
export function publishPrices(db: Db, clock: Clock, by: By, chosen: Chosen): Promise<{ published: number }> {
  return db.transaction(async (tx) => {
    await lockCatalog(tx);
    const published = await lockProposals(tx, chosen);
    if ("ids" in chosen && published < new Set(chosen.ids).size)
      throw new RangeError(
        "some of these proposals have changed or are gone; nothing was published. See: scrip price propose",
      );
    if (published === 0) return { published };
    await writeProposed(tx, chosen, clock.now());
    await recordActivity(tx, clock, {
      ...by,
      action: "prices.published",
      object: {
        kind: "prices",
        id: "ids" in chosen ? chosen.ids.slice(0, 20).join(",") : `up to ${chosen.upToId}`,
      },
      after: { prices: published },
    });
    return { published };
  });
}
