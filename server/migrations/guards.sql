-- The triggers that keep sandbox and live apart, and keep on record what was shown to whom and who did what, while nobody audits. This is the only
-- list of them: `scrip migrate` creates those that a database lacks, and `scrip audit` reports those that are not there as
-- written here. Change it here, without a migration. A trigger that is no longer listed is dropped by a migration.
-- Events of a trigger are written in the order that PostgreSQL prints: insert, delete, update, truncate.

create trigger code_reveals_append_only before delete or update on code_reveals
  for each row execute function refuse_change();
create trigger code_reveals_never_emptied before truncate on code_reveals
  for each statement execute function refuse_change();
create trigger activity_append_only before delete or update on activity
  for each row execute function refuse_change();
create trigger activity_never_emptied before truncate on activity
  for each statement execute function refuse_change();
create trigger fx_rates_append_only before delete or update on fx_rates
  for each row execute function refuse_change();
create trigger fx_rates_never_emptied before truncate on fx_rates
  for each statement execute function refuse_change();

-- What belongs to an order has the order's environment.
create trigger order_units_environment after insert on order_units referencing new table as written
  for each statement execute function refuse_other_environment();
create trigger supplier_attempts_environment after insert on supplier_attempts referencing new table as written
  for each statement execute function refuse_other_environment();
create trigger codes_environment_new after insert on codes referencing new table as written
  for each statement execute function refuse_other_environment();
create trigger codes_environment_given after update on codes referencing new table as written
  for each statement execute function refuse_other_environment();
create trigger events_owner after insert on events referencing new table as written
  for each statement execute function refuse_wrong_event();
create trigger code_reveals_owner after insert on code_reveals referencing new table as written
  for each statement execute function refuse_other_owner();
create trigger deliveries_endpoint after insert on deliveries referencing new table as written
  for each statement execute function refuse_other_endpoint();
create trigger ledger_entries_wallet after insert on ledger_entries for each row
  when (new.type = 'refund') execute function refuse_other_wallet();

-- Nothing moves to another environment, reseller or owner.
create trigger encryption_keys_stay before update of reseller_id, environment, kid, public_key on encryption_keys
  for each row execute function refuse_move();
create trigger orders_stay before update of id, reseller_id, environment on orders
  for each row execute function refuse_move();
create trigger order_lines_stay before update of order_id, reseller_id, environment on order_lines
  for each row execute function refuse_move();
create trigger order_units_stay before update of order_id, environment on order_units
  for each row execute function refuse_move();
create trigger supplier_attempts_stay before update of order_id, environment on supplier_attempts
  for each row execute function refuse_move();
create trigger wallets_stay before update of reseller_id, environment on wallets
  for each row execute function refuse_move();
create trigger api_keys_stay before update of reseller_id, environment on api_keys
  for each row execute function refuse_move();
create trigger webhook_endpoints_stay before update of reseller_id, environment on webhook_endpoints
  for each row execute function refuse_move();
create trigger webhook_secrets_stay before update of endpoint_id on webhook_secrets
  for each row execute function refuse_move();
create trigger deliveries_stay before update of event_id, endpoint_id on deliveries
  for each row execute function refuse_move();
