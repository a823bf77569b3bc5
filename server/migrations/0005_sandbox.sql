-- What a sandbox order was told to do by X-Test-Scenario, where that is not simply to succeed (CONTRACT 7).
alter table orders
  add column test_scenario text,
  add constraint orders_test_scenario check (
    test_scenario is null
    or environment = 'test' and test_scenario in (
      'failed', 'refunded', 'partial', 'delayed', 'stuck', 'refunded_after_completion', 'webhook_duplicate',
      'webhook_late', 'webhook_bad_signature'
    )
  );

-- The worker finds those that are to be refunded after their completion; there are few at any time.
-- By id, which never changes: an index of what does would cost every update of an order.
create index orders_to_refund_after on orders (id)
  where test_scenario = 'refunded_after_completion' and status = 'completed';

-- How an event of such an order is to be delivered.
alter table events
  add column test_scenario text,
  add constraint events_test_scenario check (
    test_scenario is null
    or environment = 'test' and test_scenario in ('webhook_duplicate', 'webhook_late', 'webhook_bad_signature')
  );

-- Nothing of one environment can be written for an order of the other. One look for each statement, by the key of the
-- orders, whatever the planner thinks of tables that were small when it first looked.
create function refuse_other_environment() returns trigger language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  if exists (
    select from written w join orders o on o.id = w.order_id where o.environment <> w.environment
  ) then
    raise exception '% of one environment and an order of the other', tg_table_name
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return null;
end $$;

create trigger order_units_environment after insert on order_units
  referencing new table as written for each statement execute function refuse_other_environment();
create trigger supplier_attempts_environment after insert on supplier_attempts
  referencing new table as written for each statement execute function refuse_other_environment();
create trigger codes_environment_new after insert on codes
  referencing new table as written for each statement execute function refuse_other_environment();
create trigger codes_environment_given after update on codes
  referencing new table as written for each statement execute function refuse_other_environment();

-- What says whose it is says so rightly.
create function refuse_other_owner() returns trigger language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  if exists (
    select from written w join orders o on o.id = w.order_id
    where o.environment <> w.environment or o.reseller_id <> w.reseller_id
  ) then
    raise exception '% of another environment or reseller than the order', tg_table_name
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return null;
end $$;

create trigger events_owner after insert on events
  referencing new table as written for each statement execute function refuse_other_owner();
create trigger code_reveals_owner after insert on code_reveals
  referencing new table as written for each statement execute function refuse_other_owner();

-- Debits are written by the statement that writes their orders, thousands a second; refunds by themselves.
create function refuse_other_wallet() returns trigger language plpgsql as $$
begin
  if exists (
    select from orders o
    where o.id = new.order_id and (o.environment <> new.environment or o.reseller_id <> new.reseller_id)
  ) then
    raise exception 'a refund to another wallet than the order was paid from'
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return null;
end $$;

create trigger ledger_entries_wallet after insert on ledger_entries for each row
  when (new.type = 'refund') execute function refuse_other_wallet();

-- Nor does an event of one environment reach an endpoint of the other, or of another reseller.
create function refuse_other_endpoint() returns trigger language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
begin
  if exists (
    select from written d
    join events e on e.id = d.event_id
    join webhook_endpoints w on w.id = d.endpoint_id
    where w.environment <> e.environment or w.reseller_id <> e.reseller_id
  ) then
    raise exception 'an event and an endpoint of another environment or reseller'
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return null;
end $$;

create trigger deliveries_endpoint after insert on deliveries
  referencing new table as written for each statement execute function refuse_other_endpoint();

-- What belongs to one environment stays there.
create function refuse_move() returns trigger language plpgsql as $$
begin
  raise exception '% stay where they belong', tg_table_name
    using errcode = 'restrict_violation', constraint = tg_name, table = tg_table_name;
end $$;

create trigger orders_stay before update of id, reseller_id, environment on orders
  for each row execute function refuse_move();
create trigger wallets_stay before update of reseller_id, environment on wallets
  for each row execute function refuse_move();
create trigger order_lines_stay before update of order_id, reseller_id, environment on order_lines
  for each row execute function refuse_move();
create trigger order_units_stay before update of order_id, environment on order_units
  for each row execute function refuse_move();
create trigger supplier_attempts_stay before update of order_id, environment on supplier_attempts
  for each row execute function refuse_move();
create trigger webhook_endpoints_stay before update of reseller_id, environment on webhook_endpoints
  for each row execute function refuse_move();
create trigger webhook_secrets_stay before update of endpoint_id on webhook_secrets
  for each row execute function refuse_move();
create trigger deliveries_stay before update of event_id, endpoint_id on deliveries
  for each row execute function refuse_move();
create trigger api_keys_stay before update of reseller_id, environment on api_keys
  for each row execute function refuse_move();
