-- As begin_placements, in one JSON value, with plans that are kept. PostgreSQL planned the statements of begin_placements again in each
-- call, because a plan for arrays of a known length looked cheaper: that was an eighth of its time for an order.
--
-- begin_placements stays for processes of the version before. It can go in a migration of the next version.
create function begin_placement_batch(
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
               w.sequence::text, encode(w.head_hash, 'hex') as hash, extract(epoch from w.last_entry_at) * 1000 as "lastEntryAtMs"
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
    'limits', key_limits);
end $$;
