-- Sums of a reseller by day, for pages that show a month. Triggers on the roll-ups by hour keep them, so they are exact
-- whichever version of a worker counts.
create table report_days (
  reseller_id text collate "C" not null,
  environment text not null,
  -- The start of the day in UTC.
  day timestamptz(0) not null,
  currency text not null,
  -- Empty where nothing was bought, or the cost is not known. Orders, sales and refunds are counted there.
  cost_currency text not null,
  orders bigint not null default 0,
  sold_minor bigint not null default 0,
  refunds bigint not null default 0,
  refunded_minor bigint not null default 0,
  completed bigint not null default 0,
  completed_in_part bigint not null default 0,
  failed bigint not null default 0,
  returned_minor bigint not null default 0,
  delivered_minor bigint not null default 0,
  cost_minor bigint not null default 0,
  primary key (reseller_id, environment, day, currency, cost_currency)
)
with (fillfactor = 70);

create function add_orders_of_day() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update report_days
    set orders = orders - old.orders, sold_minor = sold_minor - old.sold_minor, refunds = refunds - old.refunds,
        refunded_minor = refunded_minor - old.refunded_minor, completed = completed - old.completed,
        completed_in_part = completed_in_part - old.completed_in_part, failed = failed - old.failed
    where (reseller_id, environment, day, currency, cost_currency) =
      (old.reseller_id, old.environment, date_trunc('day', old.hour, 'UTC'), old.currency, '');
  end if;
  if tg_op <> 'DELETE' then
    insert into report_days as t (reseller_id, environment, day, currency, cost_currency, orders, sold_minor, refunds,
                                  refunded_minor, completed, completed_in_part, failed)
    values (new.reseller_id, new.environment, date_trunc('day', new.hour, 'UTC'), new.currency, '', new.orders, new.sold_minor,
            new.refunds, new.refunded_minor, new.completed, new.completed_in_part, new.failed)
    on conflict (reseller_id, environment, day, currency, cost_currency) do update
      set orders = t.orders + excluded.orders, sold_minor = t.sold_minor + excluded.sold_minor,
          refunds = t.refunds + excluded.refunds, refunded_minor = t.refunded_minor + excluded.refunded_minor,
          completed = t.completed + excluded.completed,
          completed_in_part = t.completed_in_part + excluded.completed_in_part, failed = t.failed + excluded.failed;
  end if;
  return null;
end $$;

create function add_margin_of_day() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.dimension = 'reseller' then
    update report_days
    set returned_minor = returned_minor - old.returned_minor, delivered_minor = delivered_minor - old.delivered_minor,
        cost_minor = cost_minor - old.cost_minor
    where (reseller_id, environment, day, currency, cost_currency) =
      (old.member, old.environment, date_trunc('day', old.at, 'UTC'), old.currency, old.cost_currency);
  end if;
  if tg_op <> 'DELETE' and new.dimension = 'reseller' then
    insert into report_days as t (reseller_id, environment, day, currency, cost_currency, returned_minor, delivered_minor,
                                  cost_minor)
    values (new.member, new.environment, date_trunc('day', new.at, 'UTC'), new.currency, new.cost_currency, new.returned_minor,
            new.delivered_minor, new.cost_minor)
    on conflict (reseller_id, environment, day, currency, cost_currency) do update
      set returned_minor = t.returned_minor + excluded.returned_minor,
          delivered_minor = t.delivered_minor + excluded.delivered_minor, cost_minor = t.cost_minor + excluded.cost_minor;
  end if;
  return null;
end $$;

-- Most rows of report_slices are of products and suppliers: a condition is all that it costs them. Creating the triggers keeps workers
-- from counting until this is committed.
create trigger report_orders_add_day after insert or update or delete on report_orders for each row
  execute function add_orders_of_day();
create trigger report_slices_add_day after insert on report_slices for each row
  when (new.dimension = 'reseller') execute function add_margin_of_day();
create trigger report_slices_change_day after update on report_slices for each row
  when (new.dimension = 'reseller' or old.dimension = 'reseller') execute function add_margin_of_day();
create trigger report_slices_drop_day after delete on report_slices for each row
  when (old.dimension = 'reseller') execute function add_margin_of_day();

insert into report_days (reseller_id, environment, day, currency, cost_currency, orders, sold_minor, refunds, refunded_minor,
                         completed, completed_in_part, failed, returned_minor, delivered_minor, cost_minor)
select reseller_id, environment, day, currency, cost_currency, sum(orders), sum(sold_minor), sum(refunds), sum(refunded_minor),
       sum(completed), sum(completed_in_part), sum(failed), sum(returned_minor), sum(delivered_minor), sum(cost_minor)
from (
  select reseller_id, environment, date_trunc('day', hour, 'UTC') as day, currency, '' as cost_currency, orders, sold_minor,
         refunds, refunded_minor, completed, completed_in_part, failed, 0 as returned_minor, 0 as delivered_minor,
         0 as cost_minor
  from report_orders
  union all
  select member, environment, date_trunc('day', at, 'UTC'), currency, cost_currency, 0, 0, 0, 0, 0, 0, 0, returned_minor,
         delivered_minor, cost_minor
  from report_slices where dimension = 'reseller'
) f
group by 1, 2, 3, 4, 5;

-- How long orders of a reseller took, by day.
create table report_day_times (
  reseller_id text collate "C" not null,
  environment text not null,
  day timestamptz(0) not null,
  bucket smallint not null,
  count bigint not null,
  primary key (reseller_id, environment, day, bucket)
)
with (fillfactor = 70);

create function add_times_of_day() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' and old.dimension = 'reseller' then
    update report_day_times set count = count - old.count
    where (reseller_id, environment, day, bucket) =
      (old.member, old.environment, date_trunc('day', old.at, 'UTC'), old.bucket);
  end if;
  if tg_op <> 'DELETE' and new.dimension = 'reseller' then
    insert into report_day_times as t (reseller_id, environment, day, bucket, count)
    values (new.member, new.environment, date_trunc('day', new.at, 'UTC'), new.bucket, new.count)
    on conflict (reseller_id, environment, day, bucket) do update set count = t.count + excluded.count;
  end if;
  return null;
end $$;

create trigger report_times_add_day after insert on report_times for each row
  when (new.dimension = 'reseller') execute function add_times_of_day();
create trigger report_times_change_day after update on report_times for each row
  when (new.dimension = 'reseller' or old.dimension = 'reseller') execute function add_times_of_day();
create trigger report_times_drop_day after delete on report_times for each row
  when (old.dimension = 'reseller') execute function add_times_of_day();

insert into report_day_times (reseller_id, environment, day, bucket, count)
select member, environment, date_trunc('day', at, 'UTC'), bucket, sum(count)
from report_times where dimension = 'reseller' group by 1, 2, 3, 4;
