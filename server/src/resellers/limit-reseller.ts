import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { noReseller } from "./get-reseller.ts";
import { lockReseller, type ResellerRow, updateRateLimits } from "./queries.ts";

export const RATE_MAX_PER_SECOND = 1_000_000;

/** Sets the rate limits of a reseller, which apply to each of its keys. They take effect with the next request on every node. */
export async function limitReseller(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  limits: { orders?: number | null; reads?: number | null },
  by: By,
): Promise<ResellerRow> {
  for (const rate of [limits.orders, limits.reads]) {
    if (typeof rate === "number" && rate > RATE_MAX_PER_SECOND) {
      throw new RangeError(`a rate limit is at most ${RATE_MAX_PER_SECOND} requests per second`);
    }
  }
  return db.transaction(async (tx) => {
    const before = await lockReseller(tx, id);
    const [after] = await updateRateLimits(tx, id, limits);
    if (!before || !after) throw noReseller(id);
    const isChanged =
      before.rateLimitOrders !== after.rateLimitOrders || before.rateLimitReads !== after.rateLimitReads;
    if (isChanged)
      await recordActivity(tx, clock, {
        ...by,
        action: "reseller.limits_changed",
        object: { kind: "reseller", id },
        resellerId: id,
        before: limitsOf(before),
        after: limitsOf(after),
      });
    return after;
  });
}

const limitsOf = ({ rateLimitOrders, rateLimitReads }: ResellerRow) => ({
  orders: rateLimitOrders,
  reads: rateLimitReads,
});
