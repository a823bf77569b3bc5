-- When a unit failed, for the timeline of its order.
alter table order_units add column failed_at timestamptz(3);
