-- What needs a person: a condition that holds for a subject. It is raised once while the condition lasts and resolved when the
-- condition ends. Facts hold ids, counts and times, never a name, a code or a secret.
create table alerts (
  id text collate "C" primary key check (id like 'alt\_%'),
  kind text collate "C" not null check (length(kind) between 1 and 60),
  subject text collate "C" not null check (length(subject) between 1 and 200),
  facts jsonb not null check (jsonb_typeof(facts) = 'object'),
  raised_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  acknowledged_at timestamptz(3),
  acknowledged_kind text check (acknowledged_kind in ('staff', 'command')),
  acknowledged_id text collate "C",
  constraint alerts_acknowledged check (
    (acknowledged_at is null) = (acknowledged_kind is null) and (acknowledged_kind is null) = (acknowledged_id is null)
  )
);

create unique index alerts_open on alerts (kind, subject) where resolved_at is null;
create index alerts_resolved on alerts (resolved_at) where resolved_at is not null;

-- When the conditions were last evaluated. One row: without it nobody could tell "no alerts" from "nobody looks".
create table alert_rounds (
  only_row boolean primary key default true check (only_row),
  evaluated_at timestamptz(3) not null
);

-- The staff who get a letter about each new alert.
create table alert_readers (
  account_id text collate "C" primary key references accounts (id),
  since timestamptz(3) not null
);

-- Each run of the audit, so that a broken invariant stays visible until a later run finds none.
create table audit_runs (
  id bigint generated always as identity primary key,
  started_at timestamptz(3) not null,
  finished_at timestamptz(3) not null,
  ok boolean not null,
  invariants jsonb not null check (jsonb_typeof(invariants) = 'array'),
  actor_kind text not null check (actor_kind in ('key', 'user', 'staff', 'command', 'system')),
  actor_id text collate "C" not null
);

-- Backups that the operator's own script has reported. Scrip does not make them.
create table backups (
  id bigint generated always as identity primary key,
  recorded_at timestamptz(3) not null,
  note text not null default '' check (length(note) <= 200)
);

create index backups_newest on backups (recorded_at);

-- The operator's money at a supplier, as the supplier last told it, and the amount below which someone must act.
alter table suppliers
  add column balance_minor bigint,
  add column balance_currency text check (balance_currency ~ '^[A-Z]{3}$'),
  add column balance_at timestamptz(3),
  add column balance_asked_at timestamptz(3),
  add column balance_low_minor bigint check (balance_low_minor between 0 and 9007199254740991),
  add constraint suppliers_balance check (
    (balance_minor is null) = (balance_currency is null) and (balance_minor is null) = (balance_at is null)
  );

-- Endpoints that were disabled because they failed for days: few rows of a table that grows.
create index webhook_endpoints_disabled on webhook_endpoints (id) where notified = 'disabled' and deleted_at is null;
