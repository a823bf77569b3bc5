-- Roll-ups: what was sold, refunded, delivered and bought, counted once and added up by hour. reports/count-facts counts. Nothing is
-- written for them when an order is placed: the entries of a wallet are numbered without a gap and become visible in that order,
-- because each writer holds the wallet's lock until it has committed. So the number of the last entry that was counted says
-- exactly what is left to count, whatever commits late.

-- Up to which entry a wallet has been counted.
create table report_wallets (
  reseller_id text collate "C" not null,
  environment text not null,
  sequence bigint not null default 0 check (sequence >= 0),
  -- Orders up to this entry were placed before there were roll-ups: see migration 0035.
  history_sequence bigint not null default 0,
  counted_at timestamptz(3) not null default 'epoch',
  primary key (reseller_id, environment)
);

-- What is left to count besides entries, written in the transaction of the change and deleted in the one that counts it: an
-- order that ended, or with a line and a unit, a purchase that was written off and turned out to be made.
create table report_changes (
  order_id text collate "C" not null,
  line_index smallint,
  unit_index integer,
  constraint report_changes_unit check ((line_index is null) = (unit_index is null))
);

-- Everything that was committed before this time has been counted.
create table report_state (
  singleton boolean primary key default true check (singleton),
  complete_until timestamptz(3)
);
insert into report_state default values;

-- By the hour in which orders were accepted, refunded and ended.
create table report_orders (
  environment text not null,
  hour timestamptz(0) not null,
  reseller_id text collate "C" not null,
  currency text not null,
  orders bigint not null default 0,
  sold_minor bigint not null default 0,
  refunds bigint not null default 0,
  refunded_minor bigint not null default 0,
  completed bigint not null default 0,
  completed_in_part bigint not null default 0,
  failed bigint not null default 0,
  primary key (environment, hour, reseller_id, currency)
)
-- The rows of this hour change all the time: room beside them keeps their new versions on the page.
with (fillfactor = 70);

create index report_orders_by_reseller on report_orders (reseller_id, environment, hour);

-- By product, and where a unit was bought by supplier. Amounts of a unit are in `currency`, its cost in `cost_currency`. Empty texts
-- stand for what there is not: no supplier yet, a cost that is not known. A sale counts in the hour of its acceptance, a refund
-- in its own, and deliveries and purchases in the hour in which their order ended.
create table report_lines (
  environment text not null,
  reseller_id text collate "C" not null,
  hour timestamptz(0) not null,
  product_id text collate "C" not null,
  supplier_id text collate "C" not null,
  currency text not null,
  cost_currency text not null,
  sold_units bigint not null default 0,
  sold_minor bigint not null default 0,
  refunded_units bigint not null default 0,
  refunded_minor bigint not null default 0,
  -- What was refunded of units that had been delivered.
  returned_units bigint not null default 0,
  returned_minor bigint not null default 0,
  delivered_units bigint not null default 0,
  delivered_minor bigint not null default 0,
  -- Units that suppliers sold us, whether they were delivered or went to quarantine.
  bought_units bigint not null default 0,
  cost_minor bigint not null default 0,
  primary key (environment, reseller_id, hour, product_id, supplier_id, currency, cost_currency)
)
with (fillfactor = 70);

-- The same, added up over everything but one of product (by day), reseller (by hour) and supplier (by hour): a report over all
-- of a month reads these.
create table report_slices (
  dimension text not null check (dimension in ('product', 'reseller', 'supplier')),
  environment text not null,
  at timestamptz(0) not null,
  member text collate "C" not null,
  currency text not null,
  cost_currency text not null,
  sold_units bigint not null default 0,
  sold_minor bigint not null default 0,
  refunded_units bigint not null default 0,
  refunded_minor bigint not null default 0,
  returned_units bigint not null default 0,
  returned_minor bigint not null default 0,
  delivered_units bigint not null default 0,
  delivered_minor bigint not null default 0,
  bought_units bigint not null default 0,
  cost_minor bigint not null default 0,
  primary key (dimension, environment, at, member, currency, cost_currency)
)
with (fillfactor = 70);

-- How long it took: completed orders of a reseller (by hour), delivered units of a product (by day) and of a supplier (by hour),
-- from acceptance on. Times are counted in classes with fixed bounds, so that sums over any range give percentiles.
create table report_times (
  dimension text not null check (dimension in ('product', 'reseller', 'supplier')),
  environment text not null,
  at timestamptz(0) not null,
  member text collate "C" not null,
  bucket smallint not null,
  count bigint not null,
  primary key (dimension, environment, at, member, bucket)
)
with (fillfactor = 70);

create index report_times_by_member on report_times (dimension, member, environment, at);

-- How many of the bounds are below a time. reports/time-classes.ts has the same bounds.
create function report_bucket(took_ms bigint) returns smallint language sql immutable parallel safe as $$
  select width_bucket(took_ms - 1, array[
    10, 13, 16, 20, 25, 32, 40, 50, 63, 80,
    100, 130, 160, 200, 250, 320, 400, 500, 630, 800,
    1000, 1300, 1600, 2000, 2500, 3200, 4000, 5000, 6300, 8000,
    10000, 13000, 16000, 20000, 25000, 32000, 40000, 50000, 63000, 80000,
    100000, 130000, 160000, 200000, 250000, 320000, 400000, 500000, 630000, 800000,
    1000000, 1300000, 1600000, 2000000, 2500000, 3200000, 4000000, 5000000, 6300000, 8000000,
    10000000, 13000000, 16000000, 20000000, 25000000, 32000000, 40000000, 50000000, 63000000, 80000000,
    100000000
  ]::bigint[])::smallint
$$;

-- What each refund paid for. A refund is one entry of the ledger for an amount; which units it was for is known only in its own
-- transaction, because a later refund of the same order marks further units.
create table report_refunds (
  reseller_id text collate "C" not null,
  environment text not null,
  sequence bigint not null,
  order_id text collate "C" not null,
  line_index smallint not null,
  product_id text collate "C" not null,
  currency text not null,
  -- Whether the units had been delivered. If so, by whom, and the currency of their cost; empty where there is none.
  was_delivered boolean not null,
  supplier_id text collate "C" not null,
  cost_currency text not null,
  units bigint not null check (units > 0),
  amount_minor bigint not null check (amount_minor > 0),
  primary key (reseller_id, environment, sequence, line_index, was_delivered, supplier_id, cost_currency)
);

create index report_refunds_by_order on report_refunds (order_id);

-- What a purchase cost, in which currency: what the supplier charged where it said so, else the cost of the route.
create function charged_minor(supplier_attempts) returns bigint language sql immutable parallel safe as $$
  select case when $1.supplier_price_minor is not null then $1.supplier_price_minor else $1.cost_minor end
$$;
create function charged_currency(supplier_attempts) returns text language sql immutable parallel safe as $$
  select case when $1.supplier_price_minor is not null then $1.supplier_price_currency else $1.cost_currency end
$$;

create function note_refund() returns trigger language plpgsql
-- The plan is made while the tables are empty and kept while they grow.
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set jit = off
as $$
begin
  insert into report_refunds (reseller_id, environment, sequence, order_id, line_index, product_id, currency, was_delivered,
                              supplier_id, cost_currency, units, amount_minor)
  select new.reseller_id, new.environment, new.sequence, new.order_id, now_refunded.line_index, l.product_id, new.currency,
         now_refunded.was_delivered, now_refunded.supplier_id, now_refunded.cost_currency,
         now_refunded.units - coalesce(noted.units, 0),
         (now_refunded.units - coalesce(noted.units, 0)) * l.unit_price_minor
  from (
    select u.line_index, u.delivered_at is not null as was_delivered, coalesce(a.supplier_id, '') as supplier_id,
           coalesce(charged_currency(a), '') as cost_currency, count(*) as units
    from order_units u
    left join supplier_attempts a
      on a.order_id = u.order_id and a.line_index = u.line_index and a.unit_index = u.unit_index
      and a.status = 'delivered' and u.delivered_at is not null
    where u.order_id = new.order_id and u.status = 'refunded'
    group by 1, 2, 3, 4
  ) now_refunded
  join order_lines l on l.order_id = new.order_id and l.line_index = now_refunded.line_index
  left join (
    select r.line_index, r.was_delivered, r.supplier_id, r.cost_currency, sum(r.units) as units
    from report_refunds r where r.order_id = new.order_id
    group by 1, 2, 3, 4
  ) noted
    on noted.line_index = now_refunded.line_index and noted.was_delivered = now_refunded.was_delivered
    and noted.supplier_id = now_refunded.supplier_id and noted.cost_currency = now_refunded.cost_currency
  where now_refunded.units > coalesce(noted.units, 0);
  return null;
end $$;

-- Placements write entries too; the condition is all that it costs them.
create trigger ledger_entries_note_refund after insert on ledger_entries for each row
  when (new.type = 'refund') execute function note_refund();
