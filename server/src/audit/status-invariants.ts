import sql, { type Sql } from "sql-template-tag";
import { missingTriggers } from "../db/guards.ts";
import { misdirectedDeliveries, openPartitions, untoldEvents } from "./event-invariants.ts";
import type { Extent } from "./extent.ts";
import type { Invariant } from "./invariant.ts";
import { untoldSubjects } from "./subject-events.ts";

/** CONTRACT 4, in the order of the migration that last changed the trigger (0092). */
const MOVES = [
  ["pending", "processing"],
  ["pending", "completed"],
  ["processing", "completed"],
  ["processing", "failed"],
  ["failed", "refunded"],
  ["completed", "refunded"],
] as const;

const otherThan = ([from, to]: (typeof MOVES)[number]): string =>
  `(old.status <> '${from}' or new.status <> '${to}')`;

const STATUS_TRIGGER = `
  create trigger orders_status_moves before update of status on orders for each row
  when (old.status <> new.status and ${MOVES.map(otherThan).join(" and ")}) execute function refuse_status()`;

export const statusesFollowTransitions: Invariant = {
  number: 8,
  name: "an order's status changes only along its transitions; each event is written once, with one delivery per endpoint",
  count: ({ orders }) => sql`select count(*) as count from ${orders} o`,
  violations: (extent) => sql`
    ${unreachableStates(extent)}
    union all ${missingTriggers([STATUS_TRIGGER])}
    union all ${untoldEvents(extent)}
    union all ${untoldSubjects(extent)}
    union all ${misdirectedDeliveries(extent)}
    union all ${openPartitions()}`,
};

/**
 * The states that the transitions lead to, expressed by the units. In a processing order something is waiting, or
 * something has failed and is not refunded yet: its refund is on hold, or a worker has yet to finish the order.
 */
function unreachableStates({ orders, units }: Extent): Sql {
  return sql`
    select 'order ' || o.id || ' is ' || o.status || ' with ' || coalesce(u.waiting, 0) || ' waiting, ' ||
      coalesce(u.delivered, 0) || ' delivered, ' || coalesce(u.failed, 0) || ' failed and ' || coalesce(u.refunded, 0) ||
      ' refunded units, ' || coalesce(u.ever_delivered, 0) || ' ever delivered' as violation
    from ${orders} o
    left join (
      select order_id, count(*) as units, count(delivered_at) as ever_delivered,
        count(*) filter (where status = 'waiting') as waiting,
        count(*) filter (where status = 'delivered') as delivered,
        count(*) filter (where status = 'failed') as failed,
        count(*) filter (where status = 'refunded') as refunded
      from ${units} u group by order_id
    ) u on u.order_id = o.id
    where not coalesce(case o.status
      when 'pending' then u.order_id is null and o.open_units is null
      when 'processing' then u.waiting > 0 or u.failed > 0
      when 'completed' then u.waiting = 0 and u.failed = 0 and u.ever_delivered > 0
      when 'failed' then u.waiting = 0 and u.ever_delivered = 0
      else u.refunded = u.units end, false)`;
}
