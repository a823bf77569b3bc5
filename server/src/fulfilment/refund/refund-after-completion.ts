import sql from "sql-template-tag";
import type { Db } from "../../db/database.ts";
import type { Tenant } from "../../http/caller.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Ids, idsOf } from "../../lib/ids.ts";
import { EVERY_UNIT, refundUnits } from "./refund-queries.ts";
import { payRefund } from "./refund-units.ts";

const REFUNDS_AT_ONCE = 50;
const NOTE = "X-Test-Scenario: refunded_after_completion";

export type RefundAfterDeps = { db: Db; clock: Clock; onEnded: () => void };

/**
 * Sandbox orders that were placed to be refunded after their completion, refunded as the operator would: what was
 * delivered, in one entry. Each in a transaction of its own, so that one that fails keeps no other from its money. True
 * when there may be more.
 */
export async function refundAfterCompletion({ db, clock, onEnded }: RefundAfterDeps): Promise<boolean> {
  const now = clock.now();
  const due = await db.rows<{ id: string }>(sql`
    select id from orders
    where refund_after_ms is not null and status = 'completed'
      and updated_at <= ${now}::timestamptz - refund_after_ms * interval '1 millisecond'
    order by updated_at limit ${REFUNDS_AT_ONCE}`);
  const errors: unknown[] = [];
  for (const { id } of due) await refund(db, id, idsOf(clock), now).catch((error) => errors.push(error));
  if (due.length > errors.length) onEnded();
  if (errors.length > 0) throw errors[0];
  return due.length === REFUNDS_AT_ONCE;
}

/** Another worker may be doing it, or have done it. */
const refund = (db: Db, id: string, ids: Ids, now: Date): Promise<void> =>
  db.transaction(async (tx) => {
    const [tenant] = await tx.rows<Tenant>(sql`
      select reseller_id as "resellerId", environment from orders where id = ${id} and status = 'completed'
      for update skip locked`);
    if (!tenant) return;
    const units = await refundUnits(tx, id, "delivered", EVERY_UNIT, now);
    await payRefund(tx, tenant, units, NOTE, ids, now);
  });
