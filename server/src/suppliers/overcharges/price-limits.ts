import sql from "sql-template-tag";
import { type By, recordActivity } from "../../activity/record-activity.ts";
import type { Db, Queryable } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { parsePercent, sayPercent } from "../../lib/percent.ts";
import { getSupplier, noSupplier } from "../get-supplier.ts";
import type { DisablingPurchase, DisablingReason } from "../queries.ts";
import type { OverchargeLimits } from "./route-pauses.ts";

export const HEADROOM_MAX_BP = 10_000;
export const OVERCHARGE_TIMES_MAX = 100;

/** As a person writes them. What is not given stays as it is. */
export type PriceLimitsText = {
  /** `2%`: so far above its cost a unit of a synced route may be charged. */
  headroom?: string | undefined;
  /** So many overcharges in 24 hours disable the supplier. */
  overchargeTimes?: string | undefined;
  /** `20%`: a charge so far above the cost disables it at once. */
  overchargeAbove?: string | undefined;
};

/** How a supplier that is called may charge more than a unit is expected to cost, and when that disables it. */
export async function setPriceLimits(
  { db, clock }: { db: Db; clock: Clock },
  id: string,
  given: PriceLimitsText,
  by: By,
): Promise<void> {
  const { hasOwnStock } = await getSupplier(db, id);
  if (hasOwnStock) throw new RangeError("stock has no price that could change");
  const headroomBp = given.headroom === undefined ? null : parsePercent(given.headroom, "--headroom");
  if (headroomBp !== null && headroomBp > HEADROOM_MAX_BP)
    throw new RangeError(`--headroom must be at most ${sayPercent(HEADROOM_MAX_BP)}`);
  const aboveBp =
    given.overchargeAbove === undefined ? null : parsePercent(given.overchargeAbove, "--overcharge-above");
  const times = given.overchargeTimes === undefined ? null : parseTimes(given.overchargeTimes);
  await db.transaction(async (tx) => {
    await tx.rows(sql`
      update suppliers
      set headroom_bp = coalesce(${headroomBp}, headroom_bp),
          overcharge_times = coalesce(${times}, overcharge_times),
          overcharge_above_bp = coalesce(${aboveBp}, overcharge_above_bp)
      where id = ${id}`);
    await recordActivity(tx, clock, {
      ...by,
      action: "supplier.price_limits_set",
      object: { kind: "supplier", id },
      after: {
        ...(headroomBp === null ? {} : { headroom: sayPercent(headroomBp) }),
        ...(times === null ? {} : { overchargeTimes: times }),
        ...(aboveBp === null ? {} : { overchargeAbove: sayPercent(aboveBp) }),
      },
    });
  });
}

function parseTimes(text: string): number {
  const times = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (times >= 1 && times <= OVERCHARGE_TIMES_MAX) return times;
  throw new RangeError(`--overcharge-times must be a whole number from 1 to ${OVERCHARGE_TIMES_MAX}`);
}

export type PriceGuard = OverchargeLimits & {
  headroomBp: number;
  /** When and why nothing more is bought there. Null for an enabled supplier, and where nobody wrote it down. */
  disabled: { at: Date; reason: DisablingReason; purchase: DisablingPurchase | null } | null;
};

export async function getPriceGuard(db: Queryable, id: string): Promise<PriceGuard> {
  const [row] = await db.rows<
    OverchargeLimits & {
      headroomBp: number;
      at: Date | null;
      reason: DisablingReason;
      purchase: DisablingPurchase | null;
    }
  >(sql`
    select headroom_bp as "headroomBp", overcharge_times as "overchargeTimes", overcharge_above_bp as "overchargeAboveBp",
           case when not enabled then disabled_at end as at, disabled_reason as reason, disabled_purchase as purchase
    from suppliers where id = ${id}`);
  if (!row) throw noSupplier(id);
  const { at, reason, purchase, ...limits } = row;
  return { ...limits, disabled: at === null ? null : { at, reason, purchase } };
}
