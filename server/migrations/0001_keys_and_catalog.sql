-- Secrets that the server makes for itself (the pepper of the keys, the key that signs cursors), each sealed under the
-- master key. A database opened with another master key is noticed at the start, before anything is served.
create table sealed_secrets (
  name text primary key,
  sealed bytea not null,
  created_at timestamptz(3) not null default now()
);

create table resellers (
  id text collate "C" primary key,
  name text not null check (length(name) between 1 and 200),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  email text not null check (length(email) between 3 and 320),
  price_list text not null default 'standard' check (length(price_list) between 1 and 64),
  rate_limit_orders integer check (rate_limit_orders >= 0),
  rate_limit_reads integer check (rate_limit_reads >= 0),
  -- Raised by whatever changes this reseller's view of the catalog alone; see catalog_state.
  catalog_revision bigint not null default 1,
  created_at timestamptz(3) not null default now()
);

create table api_keys (
  id text collate "C" primary key,
  reseller_id text collate "C" not null references resellers (id),
  environment text not null check (environment in ('live', 'test')),
  name text not null default '' check (length(name) <= 200),
  digest bytea not null check (length(digest) = 32),
  last_four text not null check (length(last_four) = 4),
  scopes text[] not null check (
    scopes <@ array['catalog:read', 'orders:read', 'orders:write', 'wallet:read', 'webhooks:manage']
  ),
  allowed_ips text[] not null default '{}',
  created_at timestamptz(3) not null default now(),
  expires_at timestamptz(3),
  revoked_at timestamptz(3),
  last_used_at timestamptz(3),
  last_used_ip text,
  constraint api_keys_digest_unique unique (digest)
);

create index api_keys_reseller on api_keys (reseller_id, id);

create table products (
  id text collate "C" primary key check (id ~ '^[A-Za-z0-9._:-]{1,64}$'),
  name text not null check (length(name) between 1 and 200),
  type text not null default 'gift_card' check (type in ('gift_card', 'top_up')),
  face_value_amount text not null check (face_value_amount ~ '^[0-9]{1,18}(\.[0-9]{1,8})?$'),
  face_value_currency text not null check (face_value_currency ~ '^[A-Z]{3}$'),
  face_value_unit text not null check (length(face_value_unit) between 1 and 32),
  face_value_is_money boolean not null,
  bonus text not null default '' check (length(bonus) <= 200),
  min_quantity integer not null default 1 check (min_quantity >= 1),
  max_quantity integer not null default 10,
  -- An array of InputFieldSpec, validated before it is written.
  input_fields jsonb not null default '[]' check (jsonb_typeof(input_fields) = 'array'),
  active boolean not null default true,
  hidden boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  constraint products_quantities check (max_quantity between min_quantity and 10000),
  constraint products_money_unit check (not face_value_is_money or face_value_unit = face_value_currency)
);

-- Catalog pages walk this index, so that hidden products cost them nothing.
create index products_on_sale on products (id) where active and not hidden;

create table list_prices (
  product_id text collate "C" not null references products (id),
  price_list text not null check (length(price_list) between 1 and 64),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor between 1 and 9007199254740991),
  strike_minor bigint check (strike_minor between 1 and 9007199254740991),
  updated_at timestamptz(3) not null default now(),
  primary key (product_id, price_list, currency)
);

-- A reseller's own price; it is in the currency of the reseller's wallet.
create table reseller_prices (
  reseller_id text collate "C" not null references resellers (id),
  product_id text collate "C" not null references products (id),
  amount_minor bigint not null check (amount_minor between 1 and 9007199254740991),
  strike_minor bigint check (strike_minor between 1 and 9007199254740991),
  updated_at timestamptz(3) not null default now(),
  primary key (reseller_id, product_id)
);

-- A product is listed for everyone until a row here says otherwise.
create table unlisted_products (
  reseller_id text collate "C" not null references resellers (id),
  product_id text collate "C" not null references products (id),
  created_at timestamptz(3) not null default now(),
  primary key (reseller_id, product_id)
);

-- The catalog's revision: one row, raised in the transaction of whatever changes a product or a list price. Together
-- with resellers.catalog_revision it names one state of what a reseller sees, so that rendered pages can be kept in
-- memory and are never stale. Triggers raise it: no writer can forget to.
create table catalog_state (
  singleton boolean primary key default true check (singleton),
  revision bigint not null default 1
);
insert into catalog_state default values;

create function raise_catalog_revision() returns trigger language plpgsql as $$
begin
  update catalog_state set revision = revision + 1;
  return null;
end $$;

create trigger products_raise_revision
  after insert or update or delete or truncate on products
  for each statement execute function raise_catalog_revision();

create trigger list_prices_raise_revision
  after insert or update or delete or truncate on list_prices
  for each statement execute function raise_catalog_revision();

create function raise_reseller_revision() returns trigger language plpgsql as $$
begin
  update resellers set catalog_revision = catalog_revision + 1
  where id in (select reseller_id from changed);
  return null;
end $$;

create trigger reseller_prices_inserted after insert on reseller_prices
  referencing new table as changed for each statement execute function raise_reseller_revision();
create trigger reseller_prices_updated after update on reseller_prices
  referencing new table as changed for each statement execute function raise_reseller_revision();
create trigger reseller_prices_deleted after delete on reseller_prices
  referencing old table as changed for each statement execute function raise_reseller_revision();
create trigger unlisted_products_inserted after insert on unlisted_products
  referencing new table as changed for each statement execute function raise_reseller_revision();
create trigger unlisted_products_deleted after delete on unlisted_products
  referencing old table as changed for each statement execute function raise_reseller_revision();

-- Moving a reseller to another price list, or to another currency, changes every price it sees.
create function raise_own_revision() returns trigger language plpgsql as $$
begin
  new.catalog_revision = old.catalog_revision + 1;
  return new;
end $$;

create trigger resellers_price_list_changed before update of price_list, currency on resellers
  for each row execute function raise_own_revision();
