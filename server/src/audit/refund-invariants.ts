import sql from "sql-template-tag";
import type { Invariant } from "./invariant.ts";

/**
 * A unit is one row, and the refunded amount is exactly the price of the rows marked refunded, so no unit can be
 * refunded twice.
 */
export const refundsStayWithinOrders: Invariant = {
  number: 4,
  name: "refunds of an order are at most its debit, equal to it exactly when it is refunded, and each unit's price once",
  count: ({ orders }) =>
    sql`select count(*) as count from ${orders} o where refunded_minor > 0 or status = 'refunded'`,
  violations: ({ orders, lines, units, entries }) => sql`
    with paid_back as (
      select order_id, sum(amount_minor) as amount from ${entries} e where type = 'refund' group by order_id
    ), refunded_units as (
      select order_id, line_index, count(*) as units from ${units} u where status = 'refunded'
      group by order_id, line_index
    ), prices as (
      select l.order_id, sum(u.units * l.unit_price_minor) as amount
      from refunded_units u
      join ${lines} l on l.order_id = u.order_id and l.line_index = u.line_index
      group by l.order_id
    )
    select 'order ' || o.id || ': paid back ' || coalesce(r.amount, 0) || ', its refunded units cost ' ||
      coalesce(p.amount, 0) || ', and it says ' || o.refunded_minor || ' of ' || o.total_minor as violation
    from ${orders} o
    left join paid_back r on r.order_id = o.id
    left join prices p on p.order_id = o.id
    where coalesce(r.amount, 0) <> o.refunded_minor
      or coalesce(p.amount, 0) <> o.refunded_minor
      or o.refunded_minor > o.total_minor
      or (o.status = 'refunded') <> (o.refunded_minor = o.total_minor)
    union all
    select 'line ' || l.line_index || ' of ' || l.order_id || ' says ' || l.refunded_quantity || ' refunded but has ' ||
      coalesce(u.units, 0)
    from ${lines} l
    left join refunded_units u on u.order_id = l.order_id and u.line_index = l.line_index
    where l.refunded_quantity <> coalesce(u.units, 0)
    union all
    select 'a refund for ' || e.order_id || ', which is not an order of that wallet' from ${entries} e
    where e.type = 'refund' and not exists (
      select from ${orders} o
      where o.id = e.order_id and o.reseller_id = e.reseller_id and o.environment = e.environment
        and o.currency = e.currency
    )`,
};
