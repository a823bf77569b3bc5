-- Margin on what was true when an order was accepted (CONTRACT 8). Lines from before have no basis, so what they cost then is not known.
alter table report_lines
  -- The landed cost of what was sold, less that of units that were refunded without being delivered.
  add column landed_minor bigint not null default 0,
  -- What was sold, less what was refunded of it, where the landed cost was not known.
  add column unlanded_minor bigint not null default 0,
  -- Units that a supplier sold us and nobody got: quarantined, or bought after they were written off. Their cost.
  add column lost_units bigint not null default 0,
  add column lost_minor bigint not null default 0;
alter table report_slices
  add column landed_minor bigint not null default 0,
  add column unlanded_minor bigint not null default 0,
  add column lost_units bigint not null default 0,
  add column lost_minor bigint not null default 0;

-- What has been counted by now was sold without a basis, and all of it was counted without what was lost.
update report_lines set unlanded_minor = sold_minor - refunded_minor where sold_minor <> refunded_minor;
with lost as (
  select o.environment, o.reseller_id,
         date_trunc('hour', case when a.written_off_at is null then coalesce(o.ended_at, o.created_at) else a.resolved_at end, 'UTC')
           as hour,
         l.product_id, a.supplier_id, o.currency, coalesce(charged_currency(a), '') as cost_currency, count(*) as units,
         sum(coalesce(charged_minor(a), 0))::bigint as cost_minor
  from supplier_attempts a
  join orders o on o.id = a.order_id
  join order_lines l on l.order_id = a.order_id and l.line_index = a.line_index
  join order_units u on u.order_id = a.order_id and u.line_index = a.line_index and u.unit_index = a.unit_index
  where a.status in ('delivered', 'quarantined') and case
    when a.written_off_at is null then
      u.delivered_at is null and o.status in ('completed', 'failed', 'refunded')
      and not exists (select from report_changes c where c.order_id = a.order_id and c.line_index is null)
    else not exists (
      select from report_changes c
      where c.order_id = a.order_id and c.line_index = a.line_index and c.unit_index = a.unit_index
    ) end
  group by 1, 2, 3, 4, 5, 6, 7
)
update report_lines r set lost_units = lost.units, lost_minor = lost.cost_minor
from lost
where (r.environment, r.reseller_id, r.hour, r.product_id, r.supplier_id, r.currency, r.cost_currency) =
  (lost.environment, lost.reseller_id, lost.hour, lost.product_id, lost.supplier_id, lost.currency, lost.cost_currency);

update report_slices s
set unlanded_minor = f.unlanded_minor, lost_units = f.lost_units, lost_minor = f.lost_minor
from (
  select dimension, environment, at, member, currency, cost_currency, sum(unlanded_minor)::bigint as unlanded_minor,
         sum(lost_units)::bigint as lost_units, sum(lost_minor)::bigint as lost_minor
  from (
    select 'product' as dimension, date_trunc('day', hour, 'UTC') as at, product_id as member, l.* from report_lines l
    union all select 'reseller', hour, reseller_id, l.* from report_lines l
    union all select 'supplier', hour, supplier_id, l.* from report_lines l where supplier_id <> ''
  ) lines
  group by 1, 2, 3, 4, 5, 6
) f
where (s.dimension, s.environment, s.at, s.member, s.currency, s.cost_currency) =
  (f.dimension, f.environment, f.at, f.member, f.currency, f.cost_currency);
