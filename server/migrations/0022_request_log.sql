-- The API requests of the last 14 days, for the reseller who made them. Ids sort by time, so a partition is a range of
-- ids and holds one day (UTC). The server creates each day's partition ahead of time and drops the oldest
-- (requests/partitions.ts). A request that was refused with 401 has a reseller only if its key was once valid.
create table api_requests (
  id text collate "C" primary key,
  reseller_id text collate "C",
  environment text collate "C" check (environment in ('live', 'test')),
  actor_kind text check (actor_kind in ('key', 'user', 'staff', 'command', 'system')),
  actor_id text collate "C",
  -- Prefix and last four characters of a key that was not accepted. Never the whole key.
  key_hint text,
  method text not null,
  path text not null,
  status smallint not null,
  error_code text collate "C",
  -- The body of the answer, for errors only.
  error_body text,
  duration_ms integer not null,
  address text not null
) partition by range (id);

create index api_requests_of_tenant on api_requests (reseller_id, environment, id) where reseller_id is not null;

-- A key may read the log only if it was created with this scope.
alter table api_keys drop constraint api_keys_scopes_check, add constraint api_keys_scopes_check check (
  scopes <@ array['catalog:read', 'orders:read', 'orders:write', 'wallet:read', 'webhooks:manage', 'requests:read']);
