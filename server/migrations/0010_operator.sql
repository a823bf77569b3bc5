-- A suspended reseller reads everything and places nothing.
alter table resellers add column frozen_at timestamptz(3);

-- Codes that the operator took out of stock: they are never sold, and stay known. Not valid, because every code from before
-- satisfies the narrower constraints, and a look at each would lock a large table for long.
alter table codes drop constraint codes_state_check;
alter table codes add constraint codes_state_check
  check (state in ('stock', 'delivered', 'quarantined', 'expired', 'damaged', 'withdrawn')) not valid;
alter table codes drop constraint codes_state;
alter table codes add constraint codes_state check (
  case when state in ('stock', 'expired', 'damaged', 'withdrawn')
      then order_id is null and line_index is null and unit_index is null
    else order_id is not null and line_index is not null and unit_index is not null end
  and (state = 'delivered') = (delivered_at is not null)
  and (state = 'quarantined') = (quarantine_reason is not null)
) not valid;

-- What the operator did with codes by hand, written in the same transaction, or before they leave.
create table stock_operations (
  id bigint generated always as identity primary key,
  action text not null check (action in ('withdraw', 'export')),
  product_id text collate "C" not null,
  supplier_id text collate "C",
  code_count integer not null check (code_count > 0),
  reason text not null check (length(reason) between 1 and 500),
  done_at timestamptz(3) not null
);

create trigger stock_operations_append_only before update or delete on stock_operations
  for each row execute function refuse_change();
create trigger stock_operations_never_emptied before truncate on stock_operations
  for each statement execute function refuse_change();

-- As before, and a frozen reseller has the revision "frozen", which no order was priced at.
create or replace function begin_placements(
  reseller_ids text[], environments text[], bindings text[], api_key_ids text[], at timestamptz, lock_timeout_ms integer
) returns table (
  wallets jsonb, bound jsonb, living_keys text[], revisions jsonb
) language plpgsql
-- The plans are made while the tables are empty and kept while they grow: they must look keys up from the start.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
begin
  perform set_config('lock_timeout', lock_timeout_ms::text, true);
  perform from wallets w
  join unnest(reseller_ids, environments) as asked (reseller_id, environment)
    on w.reseller_id = asked.reseller_id and w.environment = asked.environment
  order by w.reseller_id, w.environment
  for update of w;

  return query select
    (select jsonb_agg(jsonb_build_array(
        w.reseller_id, w.environment, w.currency, w.balance_minor::text, w.sequence::text, encode(w.head_hash, 'hex'),
        extract(epoch from w.last_entry_at) * 1000))
      from wallets w
      join unnest(reseller_ids, environments) as asked (reseller_id, environment)
        on w.reseller_id = asked.reseller_id and w.environment = asked.environment),
    (select jsonb_agg(jsonb_build_array(
        o.binding, o.id, o.status, o.total_minor::text, o.currency, encode(o.fingerprint, 'hex')))
      from orders o where o.binding = any(bindings)),
    (select array_agg(k.id) from api_keys k
      where k.id = any(api_key_ids) and k.revoked_at is null and (k.expires_at is null or k.expires_at > at)),
    (select jsonb_object_agg(
        r.id, case when r.frozen_at is null then c.revision || '.' || r.catalog_revision else 'frozen' end)
      from resellers r cross join catalog_state c where r.id = any(reseller_ids));
end $$;
