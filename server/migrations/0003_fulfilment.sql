-- Who sells to the operator. Nothing here is ever shown to a reseller.
create table suppliers (
  id text collate "C" primary key,
  kind text not null check (kind in ('stock', 'scrip')),
  name text not null check (length(name) between 1 and 200),
  -- Address and key of a supplier that is called, sealed under the master key; stock needs none.
  sealed_config bytea,
  enabled boolean not null default true,
  -- At most so many purchases are begun in a second, by all workers together.
  rate_per_second integer not null default 50 check (rate_per_second between 1 and 10000),
  next_call_at timestamptz(3) not null default 'epoch',
  -- The circuit breaker: after so many failures in a row nothing is bought there until open_until.
  consecutive_failures integer not null default 0 check (consecutive_failures >= 0),
  open_until timestamptz(3),
  created_at timestamptz(3) not null default now(),
  constraint suppliers_name unique (name),
  constraint suppliers_config check ((kind = 'scrip') = (sealed_config is not null))
);

-- Where a product is bought; the lowest priority is tried first.
create table supplier_routes (
  product_id text collate "C" not null references products (id),
  supplier_id text collate "C" not null references suppliers (id),
  priority integer not null check (priority between 0 and 1000000),
  -- What one unit costs the operator; null when it is not known.
  cost_minor bigint check (cost_minor between 0 and 9007199254740991),
  cost_currency text check (cost_currency ~ '^[A-Z]{3}$'),
  -- What the supplier calls the product.
  sku text not null check (length(sku) between 1 and 64),
  updated_at timestamptz(3) not null default now(),
  primary key (product_id, supplier_id),
  constraint supplier_routes_cost check ((cost_minor is null) = (cost_currency is null))
);

create index supplier_routes_by_supplier on supplier_routes (supplier_id);

-- Whether a product can be had live. Without a row it has no route. It is kept up by suppliers/refresh-supply, changes only
-- when the answer does, and raises the catalog's revision then, because `purchasable` follows it.
create table product_supply (
  product_id text collate "C" primary key references products (id),
  state text not null check (state in ('empty', 'available'))
);

create trigger product_supply_raises_revision
  after insert or update or delete or truncate on product_supply
  for each statement execute function raise_catalog_revision();

alter table orders
  -- How many units are neither delivered nor given up; unknown until a worker has taken the order.
  add column open_units integer check (open_units >= 0),
  -- An operator wants to look at it before its refund is paid.
  add column refund_held boolean not null default false;

-- The counts of a line change when its units end.
alter table order_lines set (fillfactor = 80);

-- CONTRACT 4: no other way is open to an order's status.
create function refuse_status() returns trigger language plpgsql as $$
begin
  raise exception 'an order that is % cannot become %', old.status, new.status using errcode = 'restrict_violation';
end $$;

create trigger orders_status_moves before update of status on orders for each row
  when (old.status <> new.status and (old.status, new.status) not in (
    ('pending', 'processing'), ('processing', 'completed'), ('processing', 'failed'), ('failed', 'refunded'),
    ('completed', 'refunded')
  ))
  execute function refuse_status();

-- A worker that takes an order moves due_at ahead by its lease and writes a token. While it works it moves it ahead again;
-- when it dies the order is due by itself. Whatever it writes, it writes only while the token is still its own.
alter table order_work
  add column lease_token uuid,
  add column claims integer not null default 0;

-- One row for each unit bought, made when a worker first takes the order.
create table order_units (
  order_id text collate "C" not null,
  line_index smallint not null,
  unit_index integer not null check (unit_index >= 0),
  environment text not null check (environment in ('live', 'test')),
  status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed', 'refunded')),
  -- When a waiting unit is to be looked at next.
  due_at timestamptz(3) not null,
  delivered_at timestamptz(3),
  failure_code text check (failure_code in ('out_of_stock', 'rejected_by_issuer', 'invalid_account', 'temporarily_unavailable')),
  primary key (order_id, line_index, unit_index),
  -- Delivered and refunded is what a refund after completion leaves behind; delivered and failed cannot be.
  constraint order_units_end check (
    case status
      when 'waiting' then delivered_at is null and failure_code is null
      when 'delivered' then delivered_at is not null and failure_code is null
      when 'failed' then delivered_at is null and failure_code is not null
      else (delivered_at is null) <> (failure_code is null)
    end
  )
)
-- Every unit ends once: the room lets its new version stay on its page, and in its index entry. No index knows of the
-- status for the same reason; a unit is looked for by its order.
with (fillfactor = 60);


-- Each try to buy a unit, written before the supplier is asked. Its reference, by which the supplier knows it, is made of
-- its key (fulfilment/reference.ts): asked again under it, a supplier answers for the same purchase.
create table supplier_attempts (
  order_id text collate "C" not null,
  line_index smallint not null,
  unit_index integer not null,
  number smallint not null check (number >= 1),
  environment text not null check (environment = 'live'),
  product_id text collate "C" not null,
  -- No foreign key: suppliers are never deleted, and each check would lock the supplier's row, which all workers share.
  supplier_id text collate "C" not null,
  sku text not null,
  cost_minor bigint,
  cost_currency text,
  -- open: nothing is known for sure. refused: nothing was bought and nothing will be. quarantined: it was bought, and what
  -- came may not be delivered.
  status text not null check (status in ('open', 'delivered', 'refused', 'quarantined')),
  failure_code text check (failure_code in ('out_of_stock', 'rejected_by_issuer', 'invalid_account', 'temporarily_unavailable')),
  -- Once the supplier has told that the purchase is under way: its own id of it.
  upstream_id text check (length(upstream_id) <= 200),
  -- Some answer about it was lost, so a later "no" needs a second look before it is believed.
  doubtful boolean not null default false,
  -- A "no" that came after a lost answer, until it is believed.
  doubted_failure_code text,
  sends integer not null default 0,
  looks integer not null default 0,
  last_sent_at timestamptz(3),
  opened_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  -- When the operator was told that it has been unknown for too long.
  alerted_at timestamptz(3),
  -- The operator gave the unit up while this was open. It is followed all the same: what arrives goes to quarantine.
  written_off_at timestamptz(3),
  next_look_at timestamptz(3),
  primary key (order_id, line_index, unit_index, number),
  constraint supplier_attempts_end check (
    (status = 'open') = (resolved_at is null) and (status = 'refused') = (failure_code is not null)
  ),
  constraint supplier_attempts_written_off check ((written_off_at is null) = (next_look_at is null))
);

-- At most one purchase of a unit can be under way.
create unique index supplier_attempts_one_open on supplier_attempts (order_id, line_index, unit_index) where status = 'open';
-- At most one purchase of a unit is ever made.
create unique index supplier_attempts_one_bought on supplier_attempts (order_id, line_index, unit_index)
  where status in ('delivered', 'quarantined');
create index supplier_attempts_by_supplier on supplier_attempts (supplier_id, opened_at);
create index supplier_attempts_unknown on supplier_attempts (opened_at) where status = 'open';
create index supplier_attempts_written_off on supplier_attempts (next_look_at) where status = 'open' and written_off_at is not null;

-- Codes are bearer money. A live one is kept sealed, and the seal says which unit it belongs to: in another row it does
-- not open. Sandbox codes can be computed by anyone, and a live order cannot hold one.
create table codes (
  id text collate "C" primary key,
  environment text not null,
  product_id text collate "C" not null,
  supplier_id text collate "C" references suppliers (id),
  -- expired and damaged: it was in stock and cannot be sold; a damaged one does not open.
  state text not null check (state in ('stock', 'delivered', 'quarantined', 'expired', 'damaged')),
  type text not null check (type in ('code', 'url', 'topup')),
  sealed bytea,
  test_code text check (test_code like 'TEST-%'),
  -- Keyed digest of code or url: a code that was seen before is found without opening any.
  digest bytea check (length(digest) = 32),
  expires_at timestamptz(3),
  order_id text collate "C",
  line_index smallint,
  unit_index integer,
  delivered_at timestamptz(3),
  -- Why it may not be delivered: it was seen before, or came for a unit that had been given up.
  quarantine_reason text check (quarantine_reason in ('duplicate', 'late')),
  created_at timestamptz(3) not null default now(),
  constraint codes_environment check (
    (environment = 'live' and sealed is not null and supplier_id is not null and test_code is null)
    or (environment = 'test' and sealed is null and supplier_id is null and digest is null and test_code is not null
        and state = 'delivered')
  ),
  constraint codes_state check (
    case when state in ('stock', 'expired', 'damaged') then order_id is null and line_index is null and unit_index is null
      else order_id is not null and line_index is not null and unit_index is not null end
    and (state = 'delivered') = (delivered_at is not null)
    and (state = 'quarantined') = (quarantine_reason is not null)
  )
);

create unique index codes_one_for_each_unit on codes (order_id, line_index, unit_index) where state = 'delivered';
create unique index codes_known on codes (digest) where state <> 'quarantined';
-- What expires first is sold first.
create index codes_in_stock on codes (product_id, supplier_id, expires_at, id) where state = 'stock';
create index codes_expiring on codes (expires_at) where state = 'stock';
create index codes_quarantined on codes (supplier_id, id) where state = 'quarantined';

-- Who was shown the codes of an order, written before they leave.
create table code_reveals (
  id bigint generated always as identity primary key,
  order_id text collate "C" not null,
  reseller_id text collate "C" not null,
  environment text not null,
  key_id text collate "C" not null,
  request_id text not null,
  address text not null,
  code_count integer not null check (code_count > 0),
  revealed_at timestamptz(3) not null
);

create index code_reveals_by_order on code_reveals (order_id);

create trigger code_reveals_append_only before update or delete on code_reveals
  for each row execute function refuse_change();
create trigger code_reveals_never_emptied before truncate on code_reveals
  for each statement execute function refuse_change();
