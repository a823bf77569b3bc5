-- What waits at the endpoints, from all partitions in order, as in migration 0113: with sorting off, PostgreSQL merges what the indexes give
-- in order. Sorting would read all that waits at an endpoint, which can be very much when it is down.

-- The endpoints with a delivery that is due, each with the time since when. One look into the index for each endpoint at which anything waits.
create function due_lanes(due_until timestamptz) returns table (lane_id text, due_since timestamptz) language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
declare
  previous_id text := '';
begin
  loop
    select d.endpoint_id, d.next_attempt_at into lane_id, due_since from deliveries d
    where d.status = 'pending' and d.endpoint_id > previous_id
    order by d.endpoint_id, d.next_attempt_at, d.id limit 1;
    exit when not found;
    previous_id := lane_id;
    if due_since <= due_until then
      return next;
    end if;
  end loop;
end $$;

-- An endpoint's due deliveries, earliest first, without those that are busy.
create function due_deliveries(of_endpoint text, due_until timestamptz, busy text[], count integer)
returns setof deliveries language plpgsql stable
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select d.* from deliveries d
    where d.status = 'pending' and d.endpoint_id = of_endpoint and d.next_attempt_at <= due_until and d.id <> all(busy)
    order by d.endpoint_id, d.next_attempt_at, d.id limit count;
end $$;

-- Locks an endpoint's next retries that are not due yet, except those that others have locked.
create function lock_waiting_retries(of_endpoint text, after timestamptz, count bigint) returns setof text language plpgsql
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
begin
  return query
    select d.id from deliveries d
    where d.status = 'pending' and d.endpoint_id = of_endpoint and d.next_attempt_at > after and d.step > 0
    order by d.endpoint_id, d.next_attempt_at, d.id limit count
    for update skip locked;
end $$;
