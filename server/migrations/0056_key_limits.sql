-- What a key may spend, in the currency of its reseller: in one order, and in a UTC day. And the velocity freeze: a key that would spend
-- more than velocity_times its usual hour is frozen for placing.
alter table api_keys
  add column max_order_minor bigint check (max_order_minor > 0),
  add column max_day_minor bigint check (max_day_minor > 0),
  add column velocity_times smallint check (velocity_times between 2 and 1000),
  -- What it spends in an hour in which it spends at all. Null until enough is known.
  add column usual_hour_minor bigint check (usual_hour_minor > 0),
  add column frozen_at timestamptz(3),
  -- When the owners were told that it is frozen.
  add column frozen_told_at timestamptz(3),
  -- Unfreezing a key lets it spend for the rest of the hour: orders before this time do not freeze it.
  add column freeze_from timestamptz(0),
  -- The day from which key_spending is complete for this key. Orders of earlier days count for nothing.
  add column counted_from date,
  -- Placements ask for more only if this is true.
  add column is_limited boolean not null generated always as (
    max_order_minor is not null or max_day_minor is not null or velocity_times is not null or frozen_at is not null
  ) stored,
  add constraint api_keys_counted check (
    (counted_from is not null) = (max_day_minor is not null or velocity_times is not null)),
  add constraint api_keys_frozen check (frozen_told_at is null or frozen_at is not null);

create index api_keys_by_freeze on api_keys (frozen_at) where frozen_at is not null;
create index api_keys_by_velocity on api_keys (id) where velocity_times is not null;

-- What a counted key spent, by the UTC hour of its orders, less what was paid back on the day of the order. Every writer holds the
-- lock of the key's wallet. No check that it is positive: a mistake in it must not stop a refund. No reference to api_keys: checking it
-- would make placements wait for a change of the key. The audit finds both.
create table key_spending (
  key_id text collate "C" not null,
  hour timestamptz(0) not null check (hour = date_trunc('hour', hour, 'UTC')),
  spent_minor bigint not null,
  primary key (key_id, hour)
)
-- A busy key changes its row with every batch.
with (fillfactor = 50);

-- A refund on the day of the order gives back to the key that placed it, whichever way it is refunded.
create function give_back_to_key() returns trigger language plpgsql as $$
begin
  update key_spending s set spent_minor = s.spent_minor - new.amount_minor
  from orders o
  where o.id = new.order_id and s.key_id = o.key_id and s.hour = date_trunc('hour', o.created_at, 'UTC')
    and (o.created_at at time zone 'UTC')::date = (new.created_at at time zone 'UTC')::date;
  return null;
end $$;

create trigger ledger_entries_give_back after insert on ledger_entries
  for each row when (new.type = 'refund') execute function give_back_to_key();

-- As before, with the limits of the keys that have any, and what these have spent since a time. Keys without limits cost nothing.
--
-- The function of the same name without `since` stays for processes of the version before, which know no limits. It can go in a
-- migration of the next version.
create function begin_placements(
  reseller_ids text[], environments text[], bindings text[],
  actor_kinds text[], actor_ids text[], actor_reseller_ids text[], at timestamptz, lock_timeout_ms integer, since timestamptz
) returns table (
  wallets json, bound json, living text[], revisions json, limits json
) language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  other_actors text[];
  living_keys text[];
  any_limited boolean;
  key_limits json;
begin
  perform set_config('lock_timeout', lock_timeout_ms::text, true);
  perform from wallets w
  join unnest(reseller_ids, environments) as asked (reseller_id, environment)
    on w.reseller_id = asked.reseller_id and w.environment = asked.environment
  order by w.reseller_id, w.environment
  for update of w;

  -- Reading them costs time in every batch, and hardly any batch has them.
  if 'key' <> any(actor_kinds) then
    select array_agg(concat_ws(' ', l.kind, l.id, l.reseller_id)) into other_actors
    from living_actors(actor_kinds, actor_ids, actor_reseller_ids, at) l where l.kind <> 'key';
  end if;

  -- Each text begins with the kind: a person with the id of a living key is still a person.
  select array_agg('key ' || k.id || ' ' || k.reseller_id), bool_or(k.is_limited) into living_keys, any_limited
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

  return query select
    (select json_agg(wallet) from (
        select w.reseller_id as "resellerId", w.environment, w.currency, w.balance_minor::text as "balanceMinor",
               w.sequence::text, encode(w.head_hash, 'hex') as hash, extract(epoch from w.last_entry_at) * 1000 as "lastEntryAtMs"
        from wallets w
        join unnest(reseller_ids, environments) as asked (reseller_id, environment)
          on w.reseller_id = asked.reseller_id and w.environment = asked.environment
      ) wallet),
    (select json_agg(bound_order) from (
        select o.binding, o.id, o.status, o.total_minor::text as "totalMinor", o.currency,
               encode(o.fingerprint, 'hex') as fingerprint
        from orders o where o.binding = any(bindings)
      ) bound_order),
    living_keys || other_actors,
    (select json_object_agg(
        r.id, case when r.frozen_at is null then c.revision || '.' || r.catalog_revision else 'frozen' end)
      from resellers r cross join catalog_state c where r.id = any(reseller_ids)),
    key_limits;
end $$;
