import sql from "sql-template-tag";
import { type By, recordActivity } from "../activity/record-activity.ts";
import type { Db } from "../db/database.ts";
import type { Clock } from "../lib/clock.ts";
import { getSupplier } from "./get-supplier.ts";
import { findKind, REMOTE_KINDS } from "./registry.ts";

/** Whether the exchange rates that a supplier tells are used. A change makes all prices be worked out again. */
export async function setRateFeed(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  isUsed: boolean,
  by: By,
): Promise<void> {
  const { kind } = await getSupplier(db, id);
  if (isUsed && !findKind(kind)?.canFeedRates) {
    const able = REMOTE_KINDS.filter((one) => one.canFeedRates).map((one) => one.kind);
    throw new RangeError(`a ${kind} supplier tells no exchange rates; ${able.join(" and ")} does`);
  }
  await db.transaction(async (tx) => {
    const changed = await tx.rows(
      sql`update suppliers set feeds_rates = ${isUsed} where id = ${id} and feeds_rates <> ${isUsed} returning id`,
    );
    if (changed.length > 0) await tx.rows(sql`insert into price_changes (product_id) values ('')`);
    await recordActivity(tx, clock, {
      ...by,
      action: "supplier.rate_feed_set",
      object: { kind: "supplier", id },
      after: { rates: isUsed },
    });
  });
}
