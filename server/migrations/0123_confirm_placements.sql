-- A batch can be decided ahead, before its wallets are locked, and is then written only if this confirms it.
--
-- `fence` counts what was refused while a decision that was made ahead could still be on its way: it is not confirmed any more.
alter table wallets add column fence bigint not null default 0;

-- As before, with the fence of each wallet and the time.
create or replace function begin_placement_batch(
  reseller_ids text[], environments text[], bindings text[],
  actor_kinds text[], actor_ids text[], actor_reseller_ids text[], at timestamptz, lock_timeout_ms integer, since timestamptz
) returns json language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  other_actors json;
  living_keys json;
  any_limited boolean;
  key_limits json;
begin
  perform set_config('lock_timeout', lock_timeout_ms::text, true);
  perform from wallets w
  join unnest(reseller_ids, environments) as asked (reseller_id, environment)
    on w.reseller_id = asked.reseller_id and w.environment = asked.environment
  order by w.reseller_id, w.environment
  for update of w;

  -- Everything below is read in later statements, which see what was committed while this one waited for the locks.
  -- Other actors are read only if there are any: hardly any batch has them.
  if 'key' <> any(actor_kinds) then
    select json_agg(concat_ws(' ', l.kind, l.id, l.reseller_id)) into other_actors
    from living_actors(actor_kinds, actor_ids, actor_reseller_ids, at) l where l.kind <> 'key';
  end if;

  -- Each text begins with the kind: a person with the id of a living key is still a person.
  select json_agg('key ' || k.id || ' ' || k.reseller_id), bool_or(k.is_limited) into living_keys, any_limited
  from api_keys k
  where k.id = any(actor_ids) and k.revoked_at is null and (k.expires_at is null or k.expires_at > at);

  if any_limited then
    select json_agg(one) into key_limits from (
      select k.id, k.max_order_minor::text as "maxOrderMinor", k.max_day_minor::text as "maxDayMinor",
             k.velocity_times as "velocityTimes", k.usual_hour_minor::text as "usualHourMinor",
             to_char(k.freeze_from at time zone 'UTC', 'YYYY-MM-DD"T"HH24') as "freezeFrom", k.frozen_at is not null as "isFrozen", k.counted_from::text as "countedFrom",
             (select json_object_agg(to_char(s.hour at time zone 'UTC', 'YYYY-MM-DD"T"HH24'), s.spent_minor::text)
              from key_spending s where s.key_id = k.id and s.hour >= since) as spent
      from api_keys k where k.id = any(actor_ids) and k.is_limited
    ) one;
  end if;

  return json_build_object(
    'wallets', (select json_agg(wallet) from (
        select w.reseller_id as "resellerId", w.environment, w.currency, w.balance_minor::text as "balanceMinor",
               w.sequence::text, encode(w.head_hash, 'hex') as hash, extract(epoch from w.last_entry_at) * 1000 as "lastEntryAtMs",
               w.fence::text
        from wallets w
        join unnest(reseller_ids, environments) as asked (reseller_id, environment)
          on w.reseller_id = asked.reseller_id and w.environment = asked.environment
      ) wallet),
    'bound', (select json_agg(bound_order) from (
        select o.binding, o.id, o.status, o.total_minor::text as "totalMinor", o.currency,
               encode(o.fingerprint, 'hex') as fingerprint
        from orders o where o.binding = any(bindings)
      ) bound_order),
    'livingKeys', living_keys,
    'otherActors', other_actors,
    'revisions', (select json_object_agg(
        r.id, case when r.frozen_at is null then c.revision || '.' || r.catalog_revision else 'frozen' end)
      from resellers r cross join catalog_state c where r.id = any(reseller_ids)),
    'limits', key_limits,
    'atMs', floor(extract(epoch from clock_timestamp()) * 1000));
end $$;

-- Locks the wallets, and returns the time in milliseconds if everything is as it was when the batch was decided, and null if not: the
-- wallets' heads, keys that live and have no limits, revisions, and idempotency keys that are bound to no order. What is written next in
-- the same transaction depends on `scrip.confirmed`, which ends with it. Nothing fails when something has changed: the batch writes
-- nothing.
--
-- After `not_after` nothing is confirmed: a message that is delivered late must not place what its sender has given up.
--
-- The heads are compared above the locks and not in what is joined: rows that are locked come as they are by then, and a statement that
-- had to wait would look for them as they were. The rest is read by a later statement, which sees what was committed meanwhile.
create function confirm_placement_batch(
  reseller_ids text[], environments text[], sequences bigint[], hashes bytea[], fences bigint[], revisions text[],
  bindings text[], key_ids text[], key_reseller_ids text[], at timestamptz, not_after timestamptz, lock_timeout_ms integer
) returns bigint language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set plan_cache_mode = force_generic_plan
set jit = off
as $$
declare
  confirmed boolean;
begin
  perform set_config('lock_timeout', lock_timeout_ms::text, true);
  select cardinality(reseller_ids) = count(*) filter (where locked.is_same)
  into confirmed
  from (
    select w.sequence = asked.sequence and w.head_hash = asked.hash and w.fence = asked.fence as is_same
    from wallets w
    join unnest(reseller_ids, environments, sequences, hashes, fences)
      as asked (reseller_id, environment, sequence, hash, fence)
      on w.reseller_id = asked.reseller_id and w.environment = asked.environment
    order by w.reseller_id, w.environment
    for update of w
  ) locked;

  select confirmed and clock_timestamp() < not_after
    and cardinality(reseller_ids) = (
      select count(*) from unnest(reseller_ids, revisions) as asked (id, revision)
      join resellers r on r.id = asked.id cross join catalog_state c
      where r.frozen_at is null and c.revision || '.' || r.catalog_revision = asked.revision)
    and cardinality(key_ids) = (
      select count(*) from api_keys k
      join unnest(key_ids, key_reseller_ids) as asked (id, reseller_id) on k.id = asked.id and k.reseller_id = asked.reseller_id
      where k.revoked_at is null and (k.expires_at is null or k.expires_at > at) and not k.is_limited)
    and not exists (select from orders o where o.binding = any(bindings))
  into confirmed;
  perform set_config('scrip.confirmed', confirmed::text, true);
  return case when confirmed then floor(extract(epoch from clock_timestamp()) * 1000) end;
end $$;
