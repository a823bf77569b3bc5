-- Refunds from before the trigger on entries. Where an order has several, nobody noted which of them paid for what: all of it goes
-- to the last one. A refund since then has noted all that its order had refunded, so its order is left out. The lock makes
-- refunds wait, and waits for those under way. Placements write nothing here and go on, except from a wallet whose refund waits.
lock table report_refunds in share row exclusive mode;
set local jit = off;
insert into report_refunds (reseller_id, environment, sequence, order_id, line_index, product_id, currency, was_delivered,
                            supplier_id, cost_currency, units, amount_minor)
select e.reseller_id, e.environment, e.sequence, e.order_id, u.line_index, l.product_id, e.currency, u.delivered_at is not null,
       coalesce(a.supplier_id, ''), coalesce(charged_currency(a), ''), count(*), count(*) * l.unit_price_minor
from (
  select distinct on (order_id) reseller_id, environment, sequence, order_id, currency
  from ledger_entries where type = 'refund'
    and not exists (select from report_refunds r where r.order_id = ledger_entries.order_id)
  order by order_id, sequence desc
) e
join order_units u on u.order_id = e.order_id and u.status = 'refunded'
join order_lines l on l.order_id = u.order_id and l.line_index = u.line_index
left join supplier_attempts a
  on a.order_id = u.order_id and a.line_index = u.line_index and a.unit_index = u.unit_index
  and a.status = 'delivered' and u.delivered_at is not null
group by e.reseller_id, e.environment, e.sequence, e.order_id, u.line_index, l.product_id, e.currency,
         u.delivered_at is not null, 9, 10, l.unit_price_minor;
