-- Where a reseller wants its events. One that was removed keeps its row, for the deliveries that name it.
create table webhook_endpoints (
  id text collate "C" primary key,
  reseller_id text collate "C" not null references resellers (id),
  environment text not null check (environment in ('live', 'test')),
  url text not null check (length(url) between 1 and 2048),
  -- Types subscribed to; null is all of them, future ones too.
  events text[] check (cardinality(events) > 0),
  active boolean not null default true,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null,
  deleted_at timestamptz(3),
  -- When it began to do nothing but fail, and how often since. A success clears both.
  failing_since timestamptz(3),
  failures integer not null default 0 check (failures >= 0),
  -- Of what the owner has been told since it began to fail.
  notified text not null default 'nothing' check (notified in ('nothing', '24h', '72h', 'disabled')),
  constraint webhook_endpoints_failing check ((failing_since is null) = (failures = 0)),
  constraint webhook_endpoints_deleted check (deleted_at is null or not active)
);

create index webhook_endpoints_of_tenant on webhook_endpoints (reseller_id, environment, id) where deleted_at is null;
create index webhook_endpoints_failing on webhook_endpoints (failing_since) where failing_since is not null and active;

-- Signing secrets, sealed; the newest signs first, one that was replaced goes on signing until it expires.
create table webhook_secrets (
  id bigint generated always as identity primary key,
  endpoint_id text collate "C" not null references webhook_endpoints (id),
  sealed bytea not null,
  created_at timestamptz(3) not null,
  expires_at timestamptz(3)
);

create index webhook_secrets_of_endpoint on webhook_secrets (endpoint_id, id);

-- What happened, written in the transaction in which it happened. The body is stored once and sent as it is.
create table events (
  id text collate "C" primary key,
  reseller_id text collate "C" not null,
  environment text not null check (environment in ('live', 'test')),
  type text not null check (type ~ '^[a-z]+\.[a-z_]+$'),
  body text not null,
  order_id text collate "C",
  -- What brought it about, so that it is told once: the order's completion, or one entry of the ledger.
  cause text collate "C",
  created_at timestamptz(3) not null,
  constraint events_order check ((order_id is null) = (cause is null))
);

create unique index events_once on events (order_id, cause) where order_id is not null;
create index events_of_tenant on events (reseller_id, environment, id);
create index events_by_time on events (created_at);

create trigger events_keep before update on events for each row execute function refuse_change();

-- One for each event and endpoint.
create table deliveries (
  id text collate "C" primary key,
  event_id text collate "C" not null references events (id),
  endpoint_id text collate "C" not null references webhook_endpoints (id),
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  -- Attempts since it was last begun anew, and in all.
  step smallint not null default 0 check (step >= 0),
  attempts integer not null default 0 check (attempts >= 0),
  next_attempt_at timestamptz(3),
  created_at timestamptz(3) not null,
  delivered_at timestamptz(3),
  constraint deliveries_next check ((status = 'pending') = (next_attempt_at is not null)),
  constraint deliveries_delivered check (status <> 'delivered' or delivered_at is not null)
);

create unique index deliveries_once on deliveries (event_id, endpoint_id);
create index deliveries_of_endpoint on deliveries (endpoint_id, id);
-- Each endpoint's lane: what waits there, the earliest first.
create index deliveries_waiting on deliveries (endpoint_id, next_attempt_at, id) where status = 'pending';

create table delivery_attempts (
  delivery_id text collate "C" not null references deliveries (id) on delete cascade,
  number integer not null check (number >= 1),
  at timestamptz(3) not null,
  -- The answer's status, or the kind of failure where there was none.
  response_status smallint,
  error text check (length(error) <= 64),
  latency_ms integer not null check (latency_ms >= 0),
  response_body text check (length(response_body) <= 4096),
  primary key (delivery_id, number),
  constraint delivery_attempts_outcome check (response_status is not null or error is not null)
);

-- A lane that a worker is sending for. One whose lease has run out is free.
create table webhook_lanes (
  endpoint_id text collate "C" primary key references webhook_endpoints (id),
  lease_token uuid not null,
  leased_until timestamptz(3) not null
);

-- Letters to owners, written with what they tell of, and sent afterwards.
create table notices (
  id bigint generated always as identity primary key,
  reseller_id text collate "C" not null references resellers (id),
  environment text not null,
  endpoint_id text collate "C" references webhook_endpoints (id),
  kind text not null check (kind in ('webhook_failing_24h', 'webhook_failing_72h', 'webhook_disabled')),
  recipient text not null,
  subject text not null,
  body text not null,
  created_at timestamptz(3) not null,
  sent_at timestamptz(3),
  tries integer not null default 0,
  next_try_at timestamptz(3) not null
);

create index notices_unsent on notices (next_try_at) where sent_at is null;
create index notices_of_tenant on notices (reseller_id, environment, id);

-- Which delivery an event has at an endpoint: the time of the event, so that ids sort by it, and a hash of both.
create function delivery_id(event_id text, endpoint_id text) returns text language sql immutable parallel safe as $$
  select 'dlv_' || substr(event_id, 5, 14) || substr(md5(event_id || ' ' || endpoint_id), 1, 12)
$$;
