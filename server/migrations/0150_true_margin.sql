-- What a purchase cost in the currency of its sale, so that whoever buys in one currency and sells in another knows the margin (CONTRACT 8).

-- The decimals of a currency in ISO 4217. lib/currencies.ts has the same list.
create function currency_exponent(currency text) returns integer language sql immutable parallel safe as $$
  select case
    when $1 in ('BIF', 'CLP', 'DJF', 'GNF', 'ISK', 'JPY', 'KMF', 'KRW', 'PYG', 'RWF', 'UGX', 'UYI', 'VND', 'VUV', 'XAF', 'XOF', 'XPF')
      then 0
    when $1 in ('BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND') then 3
    when $1 in ('CLF', 'UYW') then 4
    else 2
  end
$$;

-- An amount in another currency, rounded half up to its smallest unit. Null without a rate, and for what no amount can hold.
create function converted_minor(amount bigint, from_currency text, to_currency text, rate numeric) returns bigint
language plpgsql immutable parallel safe as $$
declare
  shift integer;
  result numeric;
begin
  if from_currency = to_currency then return amount; end if;
  shift := currency_exponent(to_currency) - currency_exponent(from_currency);
  result := case
    when shift >= 0 then round(amount * rate * power(10::numeric, shift))
    -- Rounded before the division, which then is exact.
    else trunc(round(amount * rate, shift) / power(10::numeric, -shift))
  end;
  return case when abs(result) <= 9007199254740991 then result::bigint end;
end $$;

-- The rate at which a purchase is converted: 1 in the currency of the sale; the rate of the line's basis, which was stored at acceptance,
-- where that is for the currency of the charge; else the rate that was kept for the order (report_rates). Null where none is known.
create function sale_rate(charged_currency text, sale_currency text, basis text, kept numeric) returns numeric
language sql immutable parallel safe as $$
  select case
    when $1 = $2 then 1
    when split_part($3, '|', 4) = $1 and split_part($3, '|', 6) <> '' then split_part($3, '|', 6)::numeric
    else $4
  end
$$;

-- What of a purchase is lost: all of it where nobody got it, and what was charged above the limit of its route, counted from the cost.
create function lost_minor(supplier_attempts) returns bigint language sql immutable parallel safe as $$
  select case
    when $1.status = 'quarantined' then charged_minor($1)
    when $1.status = 'delivered' and $1.supplier_price_currency = $1.cost_currency
      and $1.supplier_price_minor > coalesce($1.max_cost_minor, $1.cost_minor) then $1.supplier_price_minor - $1.cost_minor
    else 0
  end
$$;

-- Charges in currencies for which a line has no rate, at the rate that was in force when the order was accepted. Written once, before the
-- first of them is counted. Null: no rate was in force, and the cost stays unknown.
create table report_rates (
  order_id text collate "C" not null,
  currency text not null,
  rate numeric check (rate > 0),
  primary key (order_id, currency)
);

alter table report_lines
  -- The cost in the currency of the sale, and of how many purchases it is known.
  add column converted_minor bigint not null default 0,
  add column costed_units bigint not null default 0,
  -- What was delivered, less what was refunded of it later, where that cost is not known.
  add column uncosted_minor bigint not null default 0,
  -- What was lost, in the currency of the sale.
  add column lost_converted_minor bigint not null default 0;
alter table report_slices
  add column converted_minor bigint not null default 0,
  add column costed_units bigint not null default 0,
  add column uncosted_minor bigint not null default 0,
  add column lost_converted_minor bigint not null default 0;

-- A reversal gives the cost of its purchase back, in the hour in which it was found.
alter table report_changes add column is_reversal boolean not null default false;

create function note_reversal() returns trigger language plpgsql as $$
begin
  insert into report_changes (order_id, line_index, unit_index, is_reversal)
  values (new.order_id, new.line_index, new.unit_index, true);
  return null;
end $$;

create trigger supplier_reversals_note after insert on supplier_reversals for each row execute function note_reversal();
create index supplier_reversals_by_time on supplier_reversals (found_at);

-- The margin of a reseller is read from its slices. Its days keep orders, sales and refunds.
drop trigger report_slices_add_day on report_slices;
drop trigger report_slices_change_day on report_slices;
drop trigger report_slices_drop_day on report_slices;
drop function add_margin_of_day();
delete from report_days where cost_currency <> '';
alter table report_days
  drop column returned_minor, drop column delivered_minor, drop column cost_minor, drop column cost_currency,
  add primary key (reseller_id, environment, day, currency);

create or replace function add_orders_of_day() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    update report_days
    set orders = orders - old.orders, sold_minor = sold_minor - old.sold_minor, refunds = refunds - old.refunds,
        refunded_minor = refunded_minor - old.refunded_minor, completed = completed - old.completed,
        completed_in_part = completed_in_part - old.completed_in_part, failed = failed - old.failed
    where (reseller_id, environment, day, currency) =
      (old.reseller_id, old.environment, date_trunc('day', old.hour, 'UTC'), old.currency);
  end if;
  if tg_op <> 'DELETE' then
    insert into report_days as t (reseller_id, environment, day, currency, orders, sold_minor, refunds, refunded_minor, completed,
                                  completed_in_part, failed)
    values (new.reseller_id, new.environment, date_trunc('day', new.hour, 'UTC'), new.currency, new.orders, new.sold_minor,
            new.refunds, new.refunded_minor, new.completed, new.completed_in_part, new.failed)
    on conflict (reseller_id, environment, day, currency) do update
      set orders = t.orders + excluded.orders, sold_minor = t.sold_minor + excluded.sold_minor,
          refunds = t.refunds + excluded.refunds, refunded_minor = t.refunded_minor + excluded.refunded_minor,
          completed = t.completed + excluded.completed,
          completed_in_part = t.completed_in_part + excluded.completed_in_part, failed = t.failed + excluded.failed;
  end if;
  return null;
end $$;
