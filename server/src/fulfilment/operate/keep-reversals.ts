import sql from "sql-template-tag";
import type { Db, Tx } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { COMMAND, noteOf, type Operator, recordOrderAction } from "./operator.ts";
import { lockOrder } from "./operator-queries.ts";
import { isChosen, type UnitRef } from "./unit-choice.ts";

export type KeepInput = {
  orderId: string;
  /** Only these units; undefined for all that wait. */
  units?: readonly UnitRef[] | undefined;
  /** What the person was told. If it would be something else by now, nothing happens. */
  expected?: { units: number } | undefined;
};
export type KeptReversals = { orderId: string; units: number };

/**
 * Leaves delivered units whose supplier took the purchase back as they are: the reseller has paid and keeps its code. The other decision is
 * to charge them back, which is a refund.
 */
export function keepReversals(
  db: Db,
  clock: Clock,
  { orderId, units, expected }: KeepInput,
  by: Operator = COMMAND,
): Promise<KeptReversals> {
  return db.transaction(async (tx) => {
    const order = await lockOrder(tx, orderId);
    if (!order) throw new RangeError(`there is no order ${orderId}`);
    const now = clock.now();
    const kept = await markKept(tx, orderId, units ?? null, now);
    if (kept.length === 0)
      throw new RangeError(
        `${orderId} has no reversal that waits for a decision${units ? " for these units" : ""}`,
      );
    if (expected && expected.units !== kept.length)
      throw new RangeError(`${orderId} has changed: ${kept.length} of its units wait for a decision by now`);
    await recordOrderAction(tx, clock, order, by, {
      action: "order.reversal_kept",
      after: { units: kept.length, ...noteOf(by) },
    });
    return { orderId, units: kept.length };
  });
}

const markKept = (tx: Tx, orderId: string, units: readonly UnitRef[] | null, now: Date) =>
  tx.rows(sql`
    update supplier_reversals r set kept_at = ${now}
    from order_units u
    where r.order_id = ${orderId} and r.kept_at is null and u.status = 'delivered'
      and u.order_id = r.order_id and u.line_index = r.line_index and u.unit_index = r.unit_index
      and ${isChosen({ lines: null, units, which: "all" }, now)}
    returning r.unit_index`);
