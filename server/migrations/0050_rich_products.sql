-- What a reseller shows its customers about a product (docs/contract.md, section 3). Null where the operator says nothing.
alter table products
  add column brand text check (length(brand) between 1 and 100),
  add column category text check (length(category) between 1 and 100),
  -- ISO 3166-1 alpha-2. Null means worldwide.
  add column country text check (country ~ '^[A-Z]{2}$'),
  add column description text check (length(description) between 1 and 2000),
  add column redeem_instructions text check (length(redeem_instructions) between 1 and 2000),
  add column terms text check (length(terms) between 1 and 4000),
  add column image_url text check (image_url ~ '^https://' and length(image_url) <= 2048);

-- How long live orders of a product took, from acceptance to the last delivered unit of the product: orders by day and class of
-- time (report_bucket). Counted with the reports, each order once.
create table product_order_times (
  day date not null,
  product_id text collate "C" not null,
  bucket smallint not null,
  orders bigint not null check (orders > 0),
  primary key (day, product_id, bucket)
)
with (fillfactor = 70);

-- The time within which 95 % of the orders of the last 7 days were delivered. catalog/refresh-delivery-times works it out in the
-- background. No row for a product with too few orders.
create table product_delivery_times (
  product_id text collate "C" primary key references products (id) on delete cascade,
  seconds integer not null check (seconds >= 1)
);

create trigger product_delivery_times_raise_revision
  after insert or update or delete or truncate on product_delivery_times
  for each statement execute function raise_catalog_revision();

-- The upper bound of a class of times in whole seconds, at least 1. The last class has no bound: what takes longer than a day.
create function report_bound_seconds(bucket smallint) returns integer language sql immutable parallel safe as $$
  select case
    when bucket >= 70 then 100000
    else greatest(1, ceil((array[10, 13, 16, 20, 25, 32, 40, 50, 63, 80])[bucket % 10 + 1] * 10.0 ^ (bucket / 10) / 1000))::integer
  end
$$;
