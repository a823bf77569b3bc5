import sql from "sql-template-tag";
import type { Invariant } from "./invariant.ts";

export const ordersArePaidOnce: Invariant = {
  number: 3,
  name: "an accepted order has exactly one debit, equal to its total and to the sum of its lines",
  count: sql`select count(*) as count from orders`,
  violations: sql`
    select 'order ' || coalesce(o.id, e.order_id) || ': ' ||
      case when o.id is null then 'a debit without an order'
        when e.order_id is null then 'no debit'
        when l.order_id is null then 'no lines'
        else 'debit, total and lines differ' end as violation
    from orders o
    full join (
      select order_id, reseller_id, environment, currency, sum(amount_minor) as amount, count(*) as debits
      from ledger_entries where type = 'order' group by order_id, reseller_id, environment, currency
    ) e on e.order_id = o.id
    left join (
      select order_id, sum(line_total_minor) as total, count(*) as lines, max(line_index) as last_index
      from order_lines group by order_id
    ) l on l.order_id = coalesce(o.id, e.order_id)
    where o.id is null or e.order_id is null or l.order_id is null
      or e.debits <> 1 or -e.amount <> o.total_minor or l.total <> o.total_minor or l.lines <> l.last_index + 1
      or e.reseller_id <> o.reseller_id or e.environment <> o.environment or e.currency <> o.currency
    union all
    select 'line ' || l.line_index || ' of ' || l.order_id || ' has no order, or another tenant''s'
    from order_lines l left join orders o on o.id = l.order_id
    where o.id is null or l.reseller_id <> o.reseller_id or l.environment <> o.environment`,
};

export const refundsStayWithinOrders: Invariant = {
  number: 4,
  name: "refunds of an order are at most its debit, and all of it exactly when it is refunded",
  count: sql`select count(*) as count from orders where refunded_minor > 0 or status = 'refunded'`,
  violations: sql`
    select 'order ' || o.id || ': refunds of ' || coalesce(r.amount, 0) || ' against ' || o.refunded_minor as violation
    from orders o
    left join (
      select order_id, sum(amount_minor) as amount from ledger_entries where type = 'refund' group by order_id
    ) r on r.order_id = o.id
    where coalesce(r.amount, 0) <> o.refunded_minor
      or o.refunded_minor > o.total_minor
      or (o.status = 'refunded') <> (o.refunded_minor = o.total_minor)
    union all
    select 'a refund for ' || e.order_id || ', which is no order of that wallet' from ledger_entries e
    where e.type = 'refund' and not exists (
      select from orders o
      where o.id = e.order_id and o.reseller_id = e.reseller_id and o.environment = e.environment
        and o.currency = e.currency
    )`,
};

export const keysBindOneOrder: Invariant = {
  number: 5,
  name: "at most one order for each reseller, environment and idempotency key",
  count: sql`select count(*) as count from orders`,
  violations: sql`
    select 'reseller ' || reseller_id || ' ' || environment || ': one key is bound to ' ||
      string_agg(id, ', ' order by id) as violation
    from orders group by reseller_id, environment, idempotency_key having count(*) > 1`,
};

export const openOrdersHaveWork: Invariant = {
  number: 7,
  name: "an unfinished order always has work due; a finished one has none",
  count: sql`select count(*) as count from orders`,
  violations: sql`
    select 'order ' || o.id || ' is ' || o.status || ' and has no work' as violation
    from orders o
    where o.status in ('pending', 'processing')
      and not exists (select from order_work w where w.order_id = o.id)
    union all
    select 'work for ' || w.order_id || ', which is no unfinished order'
    from order_work w
    where not exists (select from orders o where o.id = w.order_id and o.status in ('pending', 'processing', 'failed'))`,
};
