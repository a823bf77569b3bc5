-- The newest events of a tenant and the newest deliveries of an endpoint, within a range of ids, from all partitions in order. PostgreSQL
-- thinks that such a range holds few rows and would rather sort all of them than merge what the partitions' indexes give in order. With
-- sorting off it merges. The plans are kept: to make one takes longer than to run it.
create function newest_events(of_reseller text, of_environment text, from_id text, until_id text, count integer)
returns setof events language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select e.* from events e
    where (e.reseller_id, e.environment, e.id) >= (of_reseller, of_environment, from_id)
      and (e.reseller_id, e.environment, e.id) < (of_reseller, of_environment, until_id)
      and e.id >= from_id and e.id < until_id
    order by e.reseller_id desc, e.environment desc, e.id desc limit count;
end $$;

create function newest_deliveries(of_endpoint text, from_id text, until_id text, count integer)
returns setof deliveries language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select d.* from deliveries d
    where (d.endpoint_id, d.id) >= (of_endpoint, from_id) and (d.endpoint_id, d.id) < (of_endpoint, until_id)
      and d.id >= from_id and d.id < until_id
    order by d.endpoint_id desc, d.id desc limit count;
end $$;
