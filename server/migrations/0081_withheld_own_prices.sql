-- While a reseller's own price is withheld, it does not get the price of its list instead. These are the products that have no price for
-- a reseller for this reason. They are rows of withheld_prices, but that table can grow from nothing to millions of prices of lists at
-- once, and a plan that was made while it was empty would read all of them for each product.
create table unpriced_products (
  reseller_id text collate "C" not null,
  product_id text collate "C" not null,
  currency text not null,
  primary key (reseller_id, product_id, currency)
);
create index unpriced_products_by_product on unpriced_products (product_id);

insert into unpriced_products (reseller_id, product_id, currency)
select reseller_id, product_id, currency from withheld_prices where reseller_id <> '';

-- Changes what the reseller sees, so it is noted and raises the reseller's revision. The catalog's row is locked before the reseller's.
create function note_withheld_changes() returns trigger language plpgsql as $$
declare
  number bigint;
begin
  if not exists (select from changed where reseller_id <> '') then
    return null;
  end if;
  if tg_op = 'INSERT' then
    insert into unpriced_products (reseller_id, product_id, currency)
    select reseller_id, product_id, currency from changed where reseller_id <> ''
    on conflict do nothing;
  else
    delete from unpriced_products u using changed c
    where u.reseller_id = c.reseller_id and u.product_id = c.product_id and u.currency = c.currency;
  end if;
  number := next_catalog_change();
  insert into catalog_changes as t (scope, product_id, change)
  select distinct 'reseller ' || c.reseller_id, c.product_id, number
  from changed c where c.reseller_id <> ''
  on conflict (product_id, scope) do update set change = excluded.change;
  update resellers set catalog_revision = catalog_revision + 1
  where id in (select reseller_id from changed where reseller_id <> '');
  return null;
end $$;

create trigger catalog_changes_inserted after insert on withheld_prices
  referencing new table as changed for each statement execute function note_withheld_changes();
create trigger catalog_changes_deleted after delete on withheld_prices
  referencing old table as changed for each statement execute function note_withheld_changes();

create function note_nothing_withheld() returns trigger language plpgsql as $$
begin
  delete from unpriced_products;
  return null;
end $$;

create trigger catalog_changes_emptied after truncate on withheld_prices
  for each statement execute function note_emptied_table();
create trigger withheld_prices_emptied after truncate on withheld_prices
  for each statement execute function note_nothing_withheld();
create trigger withheld_prices_raise_revision after truncate on withheld_prices
  for each statement execute function raise_catalog_revision();

-- As before, with what is withheld in the old currency or the new one.
create or replace function note_moved_reseller() returns trigger language plpgsql as $$
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
    union
    select product_id from unpriced_products where reseller_id = new.id
  ) p
  on conflict (product_id, scope) do update set change = excluded.change;
  return null;
end $$;

-- What is withheld now has changed with this migration, and is worked out again: rows of rules that have ended were never deleted.
insert into price_changes (product_id) select distinct product_id from unpriced_products;
with withheld as (
  select distinct reseller_id, product_id from unpriced_products
), raised as (
  update resellers set catalog_revision = catalog_revision + 1 where id in (select reseller_id from withheld)
), numbered as (
  update catalog_state set change = change + 1 where exists (select from withheld) returning change
)
insert into catalog_changes as t (scope, product_id, change)
select 'reseller ' || w.reseller_id, w.product_id, n.change from withheld w cross join numbered n
on conflict (product_id, scope) do update set change = excluded.change;
