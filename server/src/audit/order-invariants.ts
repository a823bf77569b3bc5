import sql from "sql-template-tag";
import type { Invariant } from "./invariant.ts";
import { unitName } from "./unit-name.ts";

export const ordersArePaidOnce: Invariant = {
  number: 3,
  name: "an accepted order has exactly one debit, equal to its total and to the sum of its lines",
  count: ({ orders }) => sql`select count(*) as count from ${orders} o`,
  violations: ({ orders, lines, entries }) => sql`
    select 'order ' || coalesce(o.id, e.order_id) || ': ' ||
      case when o.id is null then 'a debit without an order'
        when e.order_id is null then 'no debit'
        when l.order_id is null then 'no lines'
        else 'debit, total and lines differ' end as violation
    from ${orders} o
    full join (
      select order_id, reseller_id, environment, currency, sum(amount_minor) as amount, count(*) as debits
      from ${entries} e where type = 'order' group by order_id, reseller_id, environment, currency
    ) e on e.order_id = o.id
    left join (
      select order_id, sum(line_total_minor) as total, count(*) as lines, max(line_index) as last_index
      from ${lines} l group by order_id
    ) l on l.order_id = coalesce(o.id, e.order_id)
    where o.id is null or e.order_id is null or l.order_id is null
      or e.debits <> 1 or -e.amount <> o.total_minor or l.total <> o.total_minor or l.lines <> l.last_index + 1
      or e.reseller_id <> o.reseller_id or e.environment <> o.environment or e.currency <> o.currency
    union all
    select 'line ' || l.line_index || ' of ' || l.order_id || ' has no order of its tenant'
    from ${lines} l left join ${orders} o on o.id = l.order_id
    where o.id is null or l.reseller_id <> o.reseller_id or l.environment <> o.environment`,
};

export const keysBindOneOrder: Invariant = {
  number: 5,
  name: "at most one order for each reseller, environment and idempotency key",
  count: ({ orders }) => sql`select count(*) as count from ${orders} o`,
  violations: ({ orders }) => sql`
    select 'reseller ' || reseller_id || ' ' || environment || ': one idempotency key is bound to ' ||
      string_agg(id, ', ' order by id) as violation
    from ${orders} o group by reseller_id, environment, idempotency_key having count(*) > 1`,
};

/**
 * A failed order whose refund is on hold needs no work. A processing order that only waits for its release has work
 * that is never due, and so can a sandbox order that is meant to get stuck (CONTRACT 7).
 */
export const openOrdersHaveWork: Invariant = {
  number: 7,
  name: "an unfinished order always has work due; a finished order has none",
  count: ({ orders }) => sql`select count(*) as count from ${orders} o`,
  violations: ({ orders, units }) => sql`
    select 'order ' || o.id || ' is ' || o.status || ' but has no work' ||
      case when w.order_id is null then '' else ' that becomes due' end as violation
    from ${orders} o
    left join order_work w on w.order_id = o.id
    where (o.status in ('pending', 'processing') or (o.status = 'failed' and not o.refund_held))
      and (w.order_id is null
        or (w.due_at = 'infinity' and o.environment = 'live'
          and not (o.status = 'processing' and o.refund_held and o.open_units = 0)))
    union all
    select 'work for ' || w.order_id || ', which is not an unfinished order'
    from order_work w
    where not exists (select from ${orders} o where o.id = w.order_id and o.status in ('pending', 'processing', 'failed'))
    union all
    select ${unitName("u")} || ' is waiting but never due'
    from ${units} u
    where u.status = 'waiting' and u.due_at = 'infinity' and u.environment = 'live'`,
};
