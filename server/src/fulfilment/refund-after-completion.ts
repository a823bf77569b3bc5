import sql from "sql-template-tag";
import type { Db } from "../db/database.ts";
import type { Tenant } from "../http/caller.ts";
import type { Clock } from "../lib/clock.ts";
import { refundUnits } from "./refund-queries.ts";
import { payRefund } from "./refund-units.ts";

/** So long an order of that scenario is seen to be completed. */
const PAUSE_MS = 2_000;
const REFUNDS_AT_ONCE = 50;
const NOTE = "X-Test-Scenario: refunded_after_completion";

export type RefundAfterDeps = { db: Db; clock: Clock; onEnded: () => void };

/**
 * Sandbox orders that were placed to be refunded after their completion, refunded as the operator would: what was
 * delivered, in one entry. True when there may be more. Wallets are locked in the order of their keys.
 */
export async function refundAfterCompletion({ db, clock, onEnded }: RefundAfterDeps): Promise<boolean> {
  const now = clock.now();
  const refunded = await db.transaction(async (tx) => {
    const due = await tx.rows<Tenant & { id: string }>(sql`
      with due as materialized (
        select id, reseller_id, environment from orders
        where test_scenario = 'refunded_after_completion' and status = 'completed'
          and updated_at <= ${new Date(now.getTime() - PAUSE_MS)}
        order by updated_at limit ${REFUNDS_AT_ONCE}
        for update skip locked
      )
      select id, reseller_id as "resellerId", environment from due order by reseller_id, environment, id`);
    for (const { id, ...tenant } of due) {
      const units = await refundUnits(tx, { orderId: id, status: "delivered", lines: null });
      await payRefund(tx, tenant, units, NOTE, now);
    }
    return due.length;
  });
  if (refunded > 0) onEnded();
  return refunded === REFUNDS_AT_ONCE;
}
