-- The few events of an order, with a plan that is kept: with partitions, to plan takes longer than to look.
create function events_of_order(of_order text) returns setof events language plpgsql stable
set enable_seqscan = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query select e.* from events e where e.order_id = of_order;
end $$;
