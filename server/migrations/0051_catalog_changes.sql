-- What changed in the catalog, so that a reseller can follow it (GET /v1/catalog/changes). One row for each product and scope, with
-- the number of its last change: nothing grows with the number of changes, nothing is pruned, and a cursor never expires.
--
-- Numbers come from the one row of catalog_state, whose lock is held until the commit. So numbers become visible in their order: who
-- has seen number n sees every change up to n. A sequence would not do, because transactions commit in another order.
alter table catalog_state add column change bigint not null default 0;

create table catalog_changes (
  -- 'all' (the product, its supply and delivery time), 'list USD standard' (a price of a list) or 'reseller rsl_…' (own price, listing).
  scope text collate "C" not null,
  product_id text collate "C" not null,
  change bigint not null,
  -- In 'all': the change with which the product was first on sale. For a reseller: the one with which it was last unlisted. A
  -- product that a reseller has never been able to see is not told to it as removed.
  since bigint,
  -- In this order, so that only the index below fits a range of changes.
  primary key (product_id, scope)
)
with (fillfactor = 80);

create index catalog_changes_in_order on catalog_changes (scope, change, product_id);

insert into catalog_changes (scope, product_id, change, since)
select 'all', id, 0, case when active and not hidden then 0 end from products;

create function next_catalog_change() returns bigint language sql volatile as $$
  update catalog_state set change = change + 1 returning change
$$;

create function note_product_changes() returns trigger language plpgsql as $$
declare
  number bigint;
begin
  if exists (select from changed) then
    number := next_catalog_change();
    insert into catalog_changes as t (scope, product_id, change, since)
    select 'all', c.id, number, case when c.active and not c.hidden then number end
    from changed c
    on conflict (product_id, scope) do update
      set change = excluded.change, since = coalesce(t.since, excluded.since);
  end if;
  return null;
end $$;

create trigger catalog_changes_inserted after insert on products
  referencing new table as changed for each statement execute function note_product_changes();
create trigger catalog_changes_updated after update on products
  referencing new table as changed for each statement execute function note_product_changes();
create trigger catalog_changes_deleted after delete on products
  referencing old table as changed for each statement execute function note_product_changes();

-- For tables about products of which everyone sees something.
create function note_shared_changes() returns trigger language plpgsql as $$
declare
  number bigint;
begin
  if exists (select from changed) then
    number := next_catalog_change();
    insert into catalog_changes as t (scope, product_id, change)
    select 'all', c.product_id, number
    from changed c
    on conflict (product_id, scope) do update set change = excluded.change;
  end if;
  return null;
end $$;

create trigger catalog_changes_inserted after insert on product_supply
  referencing new table as changed for each statement execute function note_shared_changes();
create trigger catalog_changes_updated after update on product_supply
  referencing new table as changed for each statement execute function note_shared_changes();
create trigger catalog_changes_deleted after delete on product_supply
  referencing old table as changed for each statement execute function note_shared_changes();
create trigger catalog_changes_inserted after insert on product_delivery_times
  referencing new table as changed for each statement execute function note_shared_changes();
create trigger catalog_changes_updated after update on product_delivery_times
  referencing new table as changed for each statement execute function note_shared_changes();
create trigger catalog_changes_deleted after delete on product_delivery_times
  referencing old table as changed for each statement execute function note_shared_changes();

create function catalog_list_scope(currency text, price_list text) returns text language sql immutable parallel safe as $$
  select 'list ' || currency || ' ' || price_list
$$;

create function note_list_changes() returns trigger language plpgsql as $$
declare
  number bigint;
begin
  if exists (select from changed) then
    number := next_catalog_change();
    insert into catalog_changes as t (scope, product_id, change)
    select catalog_list_scope(c.currency, c.price_list), c.product_id, number
    from changed c
    on conflict (product_id, scope) do update set change = excluded.change;
  end if;
  return null;
end $$;

create trigger catalog_changes_inserted after insert on list_prices
  referencing new table as changed for each statement execute function note_list_changes();
-- An update can leave the price as it is, and only change what it rests on. The plan of the join is kept by the session. If it was made
-- for one row, a nested loop would take forever for 100,000.
create function note_list_repricing() returns trigger language plpgsql
set enable_nestloop = off
set jit = off
as $$
declare
  number bigint;
begin
  if exists (
    select from changed c join before b using (product_id, price_list, currency)
    where (b.amount_minor, b.strike_minor) is distinct from (c.amount_minor, c.strike_minor)
  ) then
    number := next_catalog_change();
    insert into catalog_changes as t (scope, product_id, change)
    select catalog_list_scope(c.currency, c.price_list), c.product_id, number
    from changed c join before b using (product_id, price_list, currency)
    where (b.amount_minor, b.strike_minor) is distinct from (c.amount_minor, c.strike_minor)
    on conflict (product_id, scope) do update set change = excluded.change;
  end if;
  return null;
end $$;

create trigger catalog_changes_updated after update on list_prices
  referencing old table as before new table as changed for each statement execute function note_list_repricing();
create trigger catalog_changes_deleted after delete on list_prices
  referencing old table as changed for each statement execute function note_list_changes();

create function note_reseller_changes() returns trigger language plpgsql as $$
declare
  number bigint;
begin
  if exists (select from changed) then
    number := next_catalog_change();
    insert into catalog_changes as t (scope, product_id, change, since)
    select 'reseller ' || c.reseller_id, c.product_id, number,
           case when tg_table_name = 'unlisted_products' and tg_op = 'INSERT' then number end
    from changed c
    on conflict (product_id, scope) do update
      set change = excluded.change, since = coalesce(excluded.since, t.since);
  end if;
  return null;
end $$;

-- These names sort before those of the triggers that raise the reseller's revision: the catalog's row is locked before the reseller's.
create trigger catalog_changes_inserted after insert on reseller_prices
  referencing new table as changed for each statement execute function note_reseller_changes();
create function note_reseller_repricing() returns trigger language plpgsql
set enable_nestloop = off
set jit = off
as $$
declare
  number bigint;
begin
  if exists (
    select from changed c join before b using (reseller_id, product_id)
    where (b.amount_minor, b.strike_minor) is distinct from (c.amount_minor, c.strike_minor)
  ) then
    number := next_catalog_change();
    insert into catalog_changes as t (scope, product_id, change)
    select 'reseller ' || c.reseller_id, c.product_id, number
    from changed c join before b using (reseller_id, product_id)
    where (b.amount_minor, b.strike_minor) is distinct from (c.amount_minor, c.strike_minor)
    on conflict (product_id, scope) do update set change = excluded.change;
  end if;
  return null;
end $$;

create trigger catalog_changes_updated after update on reseller_prices
  referencing old table as before new table as changed for each statement execute function note_reseller_repricing();
create trigger catalog_changes_deleted after delete on reseller_prices
  referencing old table as changed for each statement execute function note_reseller_changes();
create trigger catalog_changes_inserted after insert on unlisted_products
  referencing new table as changed for each statement execute function note_reseller_changes();
create trigger catalog_changes_deleted after delete on unlisted_products
  referencing old table as changed for each statement execute function note_reseller_changes();

-- Another price list or currency changes every product that has a price in the old list, in the new one, or for the reseller alone. It
-- may also have had one: a change of the old list that a follower has not read yet is not in its scopes any more.
create function note_moved_reseller() returns trigger language plpgsql as $$
declare
  number bigint := next_catalog_change();
begin
  insert into catalog_changes as t (scope, product_id, change)
  select 'reseller ' || new.id, p.product_id, number
  from (
    select product_id from catalog_changes
    where scope in (catalog_list_scope(old.currency, old.price_list), catalog_list_scope(new.currency, new.price_list))
    union
    select product_id from reseller_prices where reseller_id = new.id
  ) p
  on conflict (product_id, scope) do update set change = excluded.change;
  return null;
end $$;

create trigger catalog_changes_moved after update of price_list, currency on resellers
  for each row when ((old.price_list, old.currency) is distinct from (new.price_list, new.currency))
  execute function note_moved_reseller();

-- Everything that was there has changed.
create function note_emptied_table() returns trigger language plpgsql as $$
declare
  number bigint := next_catalog_change();
begin
  update catalog_changes set change = number;
  return null;
end $$;

create trigger catalog_changes_emptied after truncate on products
  for each statement execute function note_emptied_table();
create trigger catalog_changes_emptied after truncate on product_supply
  for each statement execute function note_emptied_table();
create trigger catalog_changes_emptied after truncate on product_delivery_times
  for each statement execute function note_emptied_table();
create trigger catalog_changes_emptied after truncate on list_prices
  for each statement execute function note_emptied_table();
create trigger catalog_changes_emptied after truncate on reseller_prices
  for each statement execute function note_emptied_table();
create trigger catalog_changes_emptied after truncate on unlisted_products
  for each statement execute function note_emptied_table();

-- What is there now, so that each scope can be read from its start.
insert into catalog_changes (scope, product_id, change)
select catalog_list_scope(currency, price_list), product_id, 0 from list_prices;
insert into catalog_changes (scope, product_id, change)
select 'reseller ' || reseller_id, product_id, 0 from reseller_prices
union
select 'reseller ' || reseller_id, product_id, 0 from unlisted_products;
