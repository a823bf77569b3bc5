-- Which of these actors may place orders at this moment. API keys are not asked for here: begin_placements looks them up itself.
-- Until there are accounts, no other actor may. The migration that brings them replaces the body of this function
-- (`create or replace`, same signature) with one select for each kind. Rules for it:
-- - an actor that is not returned is refused, so an unknown kind returns nothing;
-- - it is asked about an actor and the reseller for which it acts: a person who has left the reseller's team is not alive there;
-- - it stays `stable`, so that it reads what the statement that calls it reads: the state after the wallets were locked;
-- - it looks rows up by key, because the plans are made while the tables are empty.
create function living_actors(kinds text[], ids text[], reseller_ids text[], at timestamptz)
returns table (kind text, id text, reseller_id text) language sql stable as $$
  select asked.kind, asked.id, asked.reseller_id
  from unnest(kinds, ids, reseller_ids) as asked (kind, id, reseller_id)
  where false
$$;

-- As before, for actors of every kind, and with named members in what it returns. json and not jsonb: it is written and read once.
--
-- The function of the same name without kinds stays for processes of the version before. It can go in a migration of the next
-- version: drop function begin_placements(text[], text[], text[], text[], timestamptz, integer).
create function begin_placements(
  reseller_ids text[], environments text[], bindings text[],
  actor_kinds text[], actor_ids text[], actor_reseller_ids text[], at timestamptz, lock_timeout_ms integer
) returns table (
  wallets json, bound json, living text[], revisions json
) language plpgsql
-- The plans are made while the tables are empty and kept while they grow: they must look keys up from the start.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
declare
  other_actors text[];
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
    -- Each text begins with the kind: a person with the id of a living key is still a person.
    (select array_agg('key ' || k.id || ' ' || k.reseller_id) from api_keys k
      where k.id = any(actor_ids) and k.revoked_at is null and (k.expires_at is null or k.expires_at > at)) || other_actors,
    (select json_object_agg(
        r.id, case when r.frozen_at is null then c.revision || '.' || r.catalog_revision else 'frozen' end)
      from resellers r cross join catalog_state c where r.id = any(reseller_ids));
end $$;
