-- Exchange rates, price rules and the prices that are worked out from them (MARGIN 3 and 4).

-- What a product says about itself, as far as rules ask for it. Where the columns are there already, nothing changes.
alter table products
  add column if not exists brand text,
  add column if not exists category text,
  add column if not exists country text,
  -- How the route of a unit is chosen: by priority, or the one with the lowest landed cost.
  add column routing text not null default 'priority' check (routing in ('priority', 'cheapest'));

-- One unit of base is worth rate units of quote. Rows never change: a new rate is a new row. guards.sql has the triggers.
create table fx_rates (
  id bigint generated always as identity primary key,
  base text not null check (base ~ '^[A-Z]{3}$'),
  quote text not null check (quote ~ '^[A-Z]{3}$'),
  rate numeric not null check (rate > 0 and rate < 1000000000000 and scale(rate) <= 12),
  source text not null check (source in ('pin', 'supplier', 'reference')),
  supplier_id text collate "C",
  -- When it was true, which decides how old it is.
  at timestamptz(3) not null,
  until timestamptz(3),
  created_at timestamptz(3) not null,
  constraint fx_rates_pair check (base <> quote),
  constraint fx_rates_supplier check ((source = 'supplier') = (supplier_id is not null)),
  constraint fx_rates_until check (until is null or (source = 'pin' and until > at))
);
create index fx_rates_newest on fx_rates (source, supplier_id, base, quote, at desc, id desc);

-- One rule wins for each product and price. A rule is never changed: order lines name the one that was true for them.
create table price_rules (
  id text collate "C" primary key,
  who text not null check (who in ('all', 'list', 'reseller')),
  who_id text not null default '' check (length(who_id) <= 64),
  what text not null check (what in ('all', 'category', 'brand', 'product')),
  what_id text not null default '' check (length(what_id) <= 200),
  country text not null default '' check (country ~ '^([A-Z]{2})?$'),
  -- Amounts of the rule are in this currency, and it applies to no other. Empty: in the currency of the price.
  currency text not null default '' check (currency ~ '^([A-Z]{3})?$'),
  kind text not null check (kind in ('fixed', 'off_face', 'over_cost')),
  -- Percents in basis points.
  value_bp integer check (value_bp between 0 and 1000000),
  amount numeric check (amount > 0 and amount < 10000000000000 and scale(amount) <= 4),
  add_amount numeric not null default 0 check (add_amount >= 0 and add_amount < 10000000000000 and scale(add_amount) <= 4),
  min_margin_bp integer not null default 0 check (min_margin_bp between 0 and 1000000),
  min_amount numeric not null default 0 check (min_amount >= 0 and min_amount < 10000000000000 and scale(min_amount) <= 4),
  rounding text not null default '' check (rounding ~ '^(x\.[0-9]{2}|[0-9]{1,6}(\.[0-9]{1,4})?)?$'),
  may_exceed_face boolean not null default false,
  valid_from timestamptz(3),
  valid_to timestamptz(3),
  created_at timestamptz(3) not null,
  removed_at timestamptz(3),
  constraint price_rules_who check ((who = 'all') = (who_id = '')),
  constraint price_rules_what check ((what = 'all') = (what_id = '')),
  constraint price_rules_value check (
    (kind = 'fixed') = (amount is not null) and (kind = 'fixed') = (value_bp is null)
    and (kind <> 'fixed' or currency <> '') and (kind <> 'off_face' or value_bp <= 10000)
  ),
  constraint price_rules_period check (valid_from is null or valid_to is null or valid_from < valid_to)
);
create index price_rules_scope on price_rules (who, who_id, what, what_id, country) where removed_at is null;

-- No two rules of one scope hold at the same time, so that there is always one winner. The lock makes writers take turns: the
-- second one sees what the first one wrote.
create function refuse_rule_tie() returns trigger language plpgsql as $$
declare
  other text;
begin
  if new.removed_at is not null then return new; end if;
  perform pg_advisory_xact_lock(7242075);
  select r.id into other from price_rules r
  where r.removed_at is null and r.id <> new.id
    and (r.who, r.who_id, r.what, r.what_id, r.country) = (new.who, new.who_id, new.what, new.what_id, new.country)
    and (r.currency = new.currency or r.currency = '' or new.currency = '')
    and tstzrange(r.valid_from, r.valid_to) && tstzrange(new.valid_from, new.valid_to)
  limit 1;
  if other is not null then
    raise exception 'the rule % has the same scope in the same period', other using errcode = 'exclusion_violation';
  end if;
  return new;
end $$;
create trigger price_rules_no_tie before insert or update on price_rules
  for each row execute function refuse_rule_tie();

create function refuse_rule_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.removed_at is null
    and (to_jsonb(new) - 'removed_at') = (to_jsonb(old) - 'removed_at') then return new; end if;
  raise exception 'a price rule is removed and never changed' using errcode = 'restrict_violation';
end $$;
create trigger price_rules_kept before update or delete on price_rules
  for each row execute function refuse_rule_change();

-- What a price rests on: rule, landed cost, cost and rate, as pricing/price-basis.ts writes it. The line of an order copies it.
alter table list_prices
  add column by_hand boolean not null default true,
  add column at_floor boolean not null default false,
  add column basis text check (length(basis) <= 400);
alter table reseller_prices
  add column by_hand boolean not null default true,
  add column at_floor boolean not null default false,
  add column basis text check (length(basis) <= 400);
alter table order_lines add column basis text;

create index list_prices_at_floor on list_prices (product_id) where at_floor;
create index reseller_prices_at_floor on reseller_prices (product_id) where at_floor;
create index reseller_prices_by_product on reseller_prices (product_id);

-- Prices that wait for a person. A new price of the same product for the same list or reseller takes the place of the old one,
-- under a new id, so that nobody publishes another amount than was shown. No new price means that the price goes.
create table price_proposals (
  id bigint generated always as identity primary key,
  product_id text collate "C" not null references products (id),
  price_list text not null default '',
  reseller_id text collate "C" not null default '',
  currency text not null,
  old_minor bigint,
  new_minor bigint check (new_minor between 1 and 9007199254740991),
  -- What a unit costs now, in the currency of the price; null where that is not known.
  landed_minor bigint,
  basis text,
  at_floor boolean not null default false,
  created_at timestamptz(3) not null,
  constraint price_proposals_target check ((price_list = '') <> (reseller_id = '')),
  constraint price_proposals_one unique (product_id, price_list, reseller_id, currency)
);

-- Prices by rule that must not be used for now: a rate is too old, there is no cost, the price is above the face value. They come
-- back by themselves when the reason ends and the price has hardly changed.
create table withheld_prices (
  product_id text collate "C" not null references products (id),
  price_list text not null default '',
  reseller_id text collate "C" not null default '',
  currency text not null,
  amount_minor bigint not null,
  strike_minor bigint,
  reason text not null check (reason ~ '^[a-z_]{1,32}$'),
  withheld_at timestamptz(3) not null,
  primary key (product_id, price_list, reseller_id, currency),
  constraint withheld_prices_target check ((price_list = '') <> (reseller_id = ''))
);
create index withheld_prices_by_reason on withheld_prices (reason, product_id);

-- Products whose prices must be worked out again; an empty id means all of them. Rows are added in the transaction of the
-- change and deleted once it has been taken into account.
create table price_changes (product_id text collate "C" not null);

-- When time alone changes a price next: a rate ends, or a rule begins or ends.
create table pricing_state (
  singleton boolean primary key default true check (singleton),
  next_change_at timestamptz(3),
  complete_at timestamptz(3)
);
insert into pricing_state default values;

create function note_all_prices() returns trigger language plpgsql as $$
begin
  insert into price_changes (product_id) values ('');
  return null;
end $$;
create trigger fx_rates_change_prices after insert on fx_rates for each statement execute function note_all_prices();
create trigger price_rules_change_prices after insert or update on price_rules
  for each statement execute function note_all_prices();

create function note_product_prices() returns trigger language plpgsql as $$
begin
  insert into price_changes (product_id) select distinct product_id from changed;
  return null;
end $$;
create trigger routes_added_change_prices after insert on supplier_routes
  referencing new table as changed for each statement execute function note_product_prices();
create trigger routes_changed_change_prices after update on supplier_routes
  referencing new table as changed for each statement execute function note_product_prices();
create trigger routes_removed_change_prices after delete on supplier_routes
  referencing old table as changed for each statement execute function note_product_prices();

create function note_own_prices() returns trigger language plpgsql as $$
begin
  insert into price_changes (product_id) select id from changed;
  return null;
end $$;
create trigger products_added_change_prices after insert on products
  referencing new table as changed for each statement execute function note_own_prices();
create trigger products_changed_change_prices after update on products
  referencing new table as changed for each statement execute function note_own_prices();

-- A price that was set by hand has no basis yet.
create function note_set_prices() returns trigger language plpgsql as $$
begin
  insert into price_changes (product_id) select distinct product_id from changed where basis is null;
  return null;
end $$;
create trigger list_prices_added_change_prices after insert on list_prices
  referencing new table as changed for each statement execute function note_set_prices();
create trigger list_prices_changed_change_prices after update on list_prices
  referencing new table as changed for each statement execute function note_set_prices();
create trigger reseller_prices_added_change_prices after insert on reseller_prices
  referencing new table as changed for each statement execute function note_set_prices();
create trigger reseller_prices_changed_change_prices after update on reseller_prices
  referencing new table as changed for each statement execute function note_set_prices();

-- A hand-set price that is removed leaves room for a rule.
create function note_removed_prices() returns trigger language plpgsql as $$
begin
  insert into price_changes (product_id) select distinct product_id from changed where by_hand;
  return null;
end $$;
create trigger list_prices_removed_change_prices after delete on list_prices
  referencing old table as changed for each statement execute function note_removed_prices();
create trigger reseller_prices_removed_change_prices after delete on reseller_prices
  referencing old table as changed for each statement execute function note_removed_prices();

create function note_supplier_prices() returns trigger language plpgsql as $$
begin
  insert into price_changes (product_id)
  select product_id from supplier_routes where supplier_id = new.id;
  return null;
end $$;
create trigger suppliers_change_prices after update of enabled on suppliers for each row
  when (old.enabled <> new.enabled) execute function note_supplier_prices();

-- A list in a currency that nobody had before needs all its prices.
create function note_new_list() returns trigger language plpgsql as $$
begin
  if not exists (
    select from resellers where price_list = new.price_list and currency = new.currency and id <> new.id
  ) then
    insert into price_changes (product_id) values ('');
  end if;
  return null;
end $$;
create trigger resellers_added_change_prices after insert on resellers for each row execute function note_new_list();
create trigger resellers_moved_change_prices after update of price_list, currency on resellers for each row
  when ((old.price_list, old.currency) is distinct from (new.price_list, new.currency)) execute function note_new_list();

-- Prices that are there when this is installed have no basis yet.
insert into price_changes (product_id) values ('');
