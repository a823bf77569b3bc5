-- The allowance of a key, shared by all processes. It is unlogged: it is worth nothing after a crash, and must not cost a
-- write to disk.
create unlogged table rate_limits (
  bucket text collate "C" primary key,
  -- GCRA: when the bucket is empty again, in milliseconds since 1970.
  empty_at_ms double precision not null
);

-- For each bucket: counts what the caller has taken already, then grants as much of what it wants as the burst allows.
-- Buckets come in their order, so that two callers cannot wait for each other.
create function take_allowances(
  buckets text[],
  -- Between two requests.
  intervals_ms double precision[],
  taken double precision[],
  -- How full the caller believes the bucket is, with what it has taken. The table can have lost that.
  levels_ms double precision[],
  wanted integer[],
  burst_ms double precision
) returns table (granted integer, level_ms double precision) language plpgsql as $$
declare
  empty_at double precision;
  now_ms double precision;
begin
  for i in 1 .. cardinality(buckets) loop
    select held.empty_at_ms into empty_at from rate_limits held where held.bucket = buckets[i] for update;
    if not found then
      insert into rate_limits (bucket, empty_at_ms) values (buckets[i], 0) on conflict do nothing;
      select held.empty_at_ms into empty_at from rate_limits held where held.bucket = buckets[i] for update;
    end if;
    now_ms := extract(epoch from clock_timestamp()) * 1000;
    empty_at := greatest(greatest(empty_at, now_ms) + taken[i] * intervals_ms[i], now_ms + levels_ms[i]);
    -- Rounding must not cost a caller its last request.
    granted := greatest(0, least(wanted[i], floor((now_ms + burst_ms - empty_at) / intervals_ms[i] + 0.001)))::integer;
    empty_at := empty_at + granted * intervals_ms[i];
    update rate_limits held set empty_at_ms = empty_at where held.bucket = buckets[i];
    level_ms := empty_at - now_ms;
    return next;
  end loop;
end
$$;
