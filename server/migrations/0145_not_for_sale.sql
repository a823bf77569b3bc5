-- What cannot be bought, and why: by product, and by price list and currency, or by reseller where the reseller has a price of its own or
-- is not shown the product. Kept by pricing/follow-sale for people who ask; no order is decided by it.
create table not_for_sale (
  product_id text collate "C" not null,
  price_list text not null default '',
  reseller_id text collate "C" not null default '',
  currency text not null,
  reason text not null,
  -- Of several reasons the first counts, and lists are in this order.
  place smallint not null generated always as (
    array_position(
      array['hidden', 'unlisted', 'no_route', 'supplier_disabled', 'route_paused', 'out_of_stock', 'no_rate', 'no_cost', 'no_price',
            'above_face_value', 'withheld'], reason
    )
  ) stored,
  -- Since when it cannot be bought. The reason may have changed since.
  since timestamptz(3) not null,
  -- Whether it could be bought before. A new product or price list has not left the shop.
  left_sale boolean not null,
  primary key (product_id, price_list, reseller_id, currency),
  constraint not_for_sale_target check ((price_list = '') <> (reseller_id = ''))
)
with (fillfactor = 80);

create index not_for_sale_by_reason on not_for_sale (place, product_id, price_list, reseller_id, currency);
create index not_for_sale_by_list on not_for_sale (price_list, place, product_id, currency) where price_list <> '';
create index not_for_sale_by_reseller on not_for_sale (reseller_id, place, product_id, currency) where reseller_id <> '';
create index not_for_sale_left on not_for_sale (since) where left_sale;

-- The price lists for which a product was looked at. What was looked at and is not above was on sale.
create table sale_looks (
  product_id text collate "C" primary key,
  lists text[] not null
)
with (fillfactor = 80);

-- Products to look at again; an empty id means all. Rows are written with the change and deleted once it has been looked at.
create table sale_changes (
  id bigint generated always as identity primary key,
  product_id text collate "C" not null
);

alter table pricing_state add column sale_looked_at timestamptz(3);

create function note_sale_changes() returns trigger language plpgsql as $$
begin
  insert into sale_changes (product_id) select distinct product_id from changed;
  return null;
end $$;

create function note_sale_of_products() returns trigger language plpgsql as $$
begin
  insert into sale_changes (product_id) select id from changed;
  return null;
end $$;

create trigger sale_changes_inserted after insert on products
  referencing new table as changed for each statement execute function note_sale_of_products();
create trigger sale_changes_updated after update on products
  referencing new table as changed for each statement execute function note_sale_of_products();
create trigger sale_changes_deleted after delete on products
  referencing old table as changed for each statement execute function note_sale_of_products();

create trigger sale_changes_inserted after insert on product_supply
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_updated after update on product_supply
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_deleted after delete on product_supply
  referencing old table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_inserted after insert on supplier_routes
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_updated after update on supplier_routes
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_deleted after delete on supplier_routes
  referencing old table as changed for each statement execute function note_sale_changes();

-- Another amount changes nothing here; a price or a proposal that comes or goes does.
create trigger sale_changes_inserted after insert on list_prices
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_deleted after delete on list_prices
  referencing old table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_inserted after insert on reseller_prices
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_deleted after delete on reseller_prices
  referencing old table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_inserted after insert on unpriced_products
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_deleted after delete on unpriced_products
  referencing old table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_inserted after insert on unlisted_products
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_deleted after delete on unlisted_products
  referencing old table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_inserted after insert on price_proposals
  referencing new table as changed for each statement execute function note_sale_changes();
create trigger sale_changes_deleted after delete on price_proposals
  referencing old table as changed for each statement execute function note_sale_changes();

create function note_sale_of_supplier() returns trigger language plpgsql as $$
begin
  insert into sale_changes (product_id) select product_id from supplier_routes where supplier_id = new.id;
  return null;
end $$;
create trigger sale_changes_of_supplier after update of enabled on suppliers for each row
  when (old.enabled <> new.enabled) execute function note_sale_of_supplier();

-- A list that nobody used has no entries. One whose resellers all had a price of their own has none for those products.
create function note_sale_of_new_reseller() returns trigger language plpgsql as $$
begin
  if not exists (
    select from resellers where price_list = new.price_list and currency = new.currency and id <> new.id
  ) then
    insert into sale_changes (product_id) values ('');
  else
    insert into sale_changes (product_id)
    select o.product_id from reseller_prices o join resellers r on r.id = o.reseller_id
    where r.price_list = new.price_list and r.currency = new.currency
    union
    select u.product_id from unlisted_products u join resellers r on r.id = u.reseller_id
    where r.price_list = new.price_list and r.currency = new.currency;
  end if;
  return null;
end $$;
create trigger sale_changes_of_new after insert on resellers for each row execute function note_sale_of_new_reseller();

create function note_sale_of_all() returns trigger language plpgsql as $$
begin
  insert into sale_changes (product_id) values ('');
  return null;
end $$;
create trigger sale_changes_of_moved after update of price_list, currency on resellers for each row
  when ((old.price_list, old.currency) is distinct from (new.price_list, new.currency)) execute function note_sale_of_all();

insert into sale_changes (product_id) values ('');
