-- One wallet for each reseller and environment. The row is the head of the wallet's chain of entries: balance, number,
-- hash and time of the last one. Whoever spends locks it first.
create table wallets (
  reseller_id text collate "C" not null references resellers (id),
  environment text not null check (environment in ('live', 'test')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  balance_minor bigint not null default 0,
  sequence bigint not null default 0,
  head_hash bytea not null check (length(head_hash) = 32),
  last_entry_at timestamptz(3) not null,
  created_at timestamptz(3) not null default now(),
  primary key (reseller_id, environment),
  constraint wallets_balance check (balance_minor between 0 and 9007199254740991)
)
-- A wallet's row changes with every batch: room beside it lets the new version stay on its page, and in its index entry.
with (fillfactor = 50);

-- Double entry: each row is a movement between the wallet and one account of the operator, so it cannot be half there.
-- The wallet gains amount_minor and the counter account loses it. Rows are chained by hash and never change.
create table ledger_entries (
  id text collate "C" not null,
  reseller_id text collate "C" not null,
  environment text not null,
  sequence bigint not null check (sequence >= 1),
  type text not null,
  counter_account text not null,
  amount_minor bigint not null check (amount_minor <> 0),
  balance_after_minor bigint not null,
  currency text not null,
  order_id text collate "C",
  note text check (length(note) <= 500),
  hash bytea not null check (length(hash) = 32),
  created_at timestamptz(3) not null,
  primary key (reseller_id, environment, sequence),
  constraint ledger_entries_balance check (balance_after_minor between 0 and 9007199254740991),
  constraint ledger_entries_kind check (
    (type = 'deposit' and counter_account = 'funding' and amount_minor > 0)
    or (type = 'adjustment' and counter_account = 'adjustments')
    or (type = 'order' and counter_account = 'sales' and amount_minor < 0 and order_id is not null)
    or (type = 'refund' and counter_account = 'sales' and amount_minor > 0 and order_id is not null)
  )
);

-- An order is paid once, whatever happens: a second debit for it cannot be written.
create unique index ledger_entries_order_debit on ledger_entries (order_id) where type = 'order';
create index ledger_entries_refunds on ledger_entries (order_id) where type = 'refund';
-- Most entries pay for orders: those are met by walking the statement, and only the others need an index of their own.
-- There is none by time: within a wallet time never runs backwards, so a time is found by halving the sequence.
create index ledger_entries_by_type on ledger_entries (reseller_id, environment, type, sequence) where type <> 'order';

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'restrict_violation';
end $$;

create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function refuse_change();
create trigger ledger_entries_never_emptied before truncate on ledger_entries
  for each statement execute function refuse_change();

-- created_at is the time inside the id, so that a range of times is a range of ids.
create table orders (
  id text collate "C" not null,
  reseller_id text collate "C" not null,
  environment text not null check (environment in ('live', 'test')),
  idempotency_key text collate "C" not null check (length(idempotency_key) between 1 and 255),
  -- What the key is unique in, as one text: it has an index of its own, which no planner can take another one for.
  binding text collate "C" not null
    generated always as (reseller_id || ' ' || environment || ' ' || idempotency_key) stored,
  -- SHA-256 of the canonical request: a retry has the same, another request under the same key has not.
  fingerprint bytea not null check (length(fingerprint) = 32),
  reference text collate "C" check (length(reference) between 1 and 128),
  status text not null default 'pending' check (status in ('pending', 'processing', 'completed', 'failed', 'refunded')),
  total_minor bigint not null check (total_minor between 1 and 9007199254740991),
  refunded_minor bigint not null default 0,
  currency text not null,
  key_id text collate "C" not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  primary key (id),
  constraint orders_idempotency_key unique (binding),
  constraint orders_refunded check (
    refunded_minor between 0 and total_minor and (status = 'refunded') = (refunded_minor = total_minor)
  )
);

create index orders_newest on orders (reseller_id, environment, id);
create index orders_by_status on orders (reseller_id, environment, status, id);
create index orders_by_reference on orders (reseller_id, environment, reference, id) where reference is not null;

create table order_lines (
  order_id text collate "C" not null,
  line_index smallint not null check (line_index >= 0),
  reseller_id text collate "C" not null,
  environment text not null,
  product_id text collate "C" not null,
  name text not null,
  unit_price_minor bigint not null check (unit_price_minor > 0),
  quantity integer not null check (quantity > 0),
  line_total_minor bigint not null,
  -- Values by the key of each input field; null when the product needs nothing.
  input_fields jsonb,
  fulfilled_quantity integer not null default 0,
  refunded_quantity integer not null default 0,
  failure_code text check (failure_code in ('out_of_stock', 'rejected_by_issuer', 'invalid_account', 'temporarily_unavailable')),
  primary key (order_id, line_index),
  constraint order_lines_total check (line_total_minor = unit_price_minor * quantity),
  constraint order_lines_quantities check (fulfilled_quantity >= 0 and refunded_quantity between 0 and quantity)
);

create index order_lines_by_product on order_lines (reseller_id, environment, product_id, order_id);

-- What is still to be done for an order. An order that is not finished has a row here, a finished one has none.
create table order_work (
  order_id text collate "C" primary key,
  due_at timestamptz(3) not null
);

create index order_work_due on order_work (due_at);

-- The same texts and hashes as in wallet/entry.ts, for audits.
create function genesis_hash(reseller_id text, environment text) returns bytea
language sql immutable parallel safe as $$
  select sha256(convert_to('scrip wallet|' || reseller_id || '|' || environment, 'UTF8'))
$$;

create function ledger_hash(previous bytea, entry ledger_entries) returns bytea
language sql immutable parallel safe as $$
  select sha256(previous || convert_to(concat_ws('|',
    entry.id, entry.reseller_id, entry.environment, entry.sequence, entry.type, entry.counter_account,
    entry.amount_minor, entry.balance_after_minor, entry.currency, coalesce(entry.order_id, ''),
    (extract(epoch from entry.created_at) * 1000)::bigint, coalesce(entry.note, '')
  ), 'UTF8'))
$$;

-- Locks the wallets of a batch in order of their keys, so that no two batches wait for each other, and only then, in
-- statements of their own, reads what the decisions rest on. A single statement that had waited for the lock would see
-- the new balance, and not the orders that were committed with it.
create function begin_placements(
  reseller_ids text[], environments text[], bindings text[], api_key_ids text[], at timestamptz, lock_timeout_ms integer
) returns table (
  wallets jsonb, bound jsonb, living_keys text[], revisions jsonb
) language plpgsql
-- The plans are made while the tables are empty and kept while they grow: they must look keys up from the start.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
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
    (select jsonb_object_agg(r.id, c.revision || '.' || r.catalog_revision)
      from resellers r cross join catalog_state c where r.id = any(reseller_ids));
end $$;
