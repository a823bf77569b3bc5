-- Up to which change the endpoints of a tenant that subscribe to catalog.changed have been told, and when.
create table catalog_notices (
  reseller_id text collate "C" not null references resellers (id),
  environment text not null check (environment in ('live', 'test')),
  change bigint not null,
  told_at timestamptz(3),
  primary key (reseller_id, environment)
);

-- Those that follow the catalog are few.
create index webhook_endpoints_follow_catalog on webhook_endpoints (reseller_id, environment)
  where deleted_at is null and active and 'catalog.changed' = any(events);

-- An endpoint is told of what changes after it has subscribed.
create function start_catalog_notices() returns trigger language plpgsql as $$
begin
  insert into catalog_notices (reseller_id, environment, change)
  select new.reseller_id, new.environment, change from catalog_state
  on conflict do nothing;
  return null;
end $$;

create trigger webhook_endpoints_follow_catalog_new after insert on webhook_endpoints
  for each row when ('catalog.changed' = any(new.events)) execute function start_catalog_notices();
create trigger webhook_endpoints_follow_catalog_changed after update of events on webhook_endpoints
  for each row when ('catalog.changed' = any(new.events)) execute function start_catalog_notices();
