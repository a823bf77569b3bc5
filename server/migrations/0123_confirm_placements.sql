-- Locks the wallets of a batch that was decided ahead, and says whether everything is as it was decided: the wallets' heads, keys that
-- live and have no limits, revisions, and idempotency keys that are bound to no order. What is written next in the same transaction
-- depends on `scrip.confirmed`, which ends with it. Nothing fails when something has changed: the batch writes nothing.
--
-- The heads are compared above the locks and not in what is joined: rows that are locked come as they are by then, and a statement that
-- had to wait would look for them as they were. The rest is read by a later statement, which sees what was committed meanwhile.
create function confirm_placement_batch(
  reseller_ids text[], environments text[], sequences bigint[], hashes bytea[], revisions text[],
  bindings text[], key_ids text[], key_reseller_ids text[], at timestamptz, lock_timeout_ms integer
) returns boolean language plpgsql
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
  select cardinality(reseller_ids) = count(*) filter (where locked.sequence = locked.asked_sequence and locked.head_hash = locked.asked_hash)
  into confirmed
  from (
    select w.sequence, w.head_hash, asked.sequence as asked_sequence, asked.hash as asked_hash
    from wallets w
    join unnest(reseller_ids, environments, sequences, hashes) as asked (reseller_id, environment, sequence, hash)
      on w.reseller_id = asked.reseller_id and w.environment = asked.environment
    order by w.reseller_id, w.environment
    for update of w
  ) locked;

  select confirmed
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
  return confirmed;
end $$;
