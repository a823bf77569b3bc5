-- Long work in the background: imports, exports, audits. A job is taken with a lease and a token, like an order; a worker that
-- dies needs no cleanup, and whoever takes the job over goes on from its step.
create table jobs (
  id text collate "C" primary key check (id like 'job\_%'),
  kind text collate "C" not null check (kind ~ '^[a-z_]+$'),
  -- What was asked for. Never a secret: files are in job_parts.
  params jsonb not null check (jsonb_typeof(params) = 'object'),
  -- ready: a preview was made, and the job waits for a person to confirm it.
  state text not null check (state in ('waiting', 'running', 'ready', 'succeeded', 'failed', 'cancelled')),
  -- Where the next run goes on.
  step jsonb not null default '{}' check (jsonb_typeof(step) = 'object'),
  done bigint not null default 0 check (done >= 0),
  total bigint check (total >= 0),
  result jsonb check (jsonb_typeof(result) = 'object'),
  error text check (length(error) <= 2000),
  actor_kind text not null check (actor_kind in ('key', 'user', 'staff', 'command', 'system')),
  actor_id text collate "C" not null,
  cancel_asked_at timestamptz(3),
  lease_token uuid,
  -- It can be taken from then on.
  leased_until timestamptz(3) not null,
  runs integer not null default 0 check (runs >= 0),
  created_at timestamptz(3) not null,
  started_at timestamptz(3),
  ended_at timestamptz(3),
  constraint jobs_ended check ((state in ('succeeded', 'failed', 'cancelled')) = (ended_at is not null)),
  constraint jobs_leased check ((state = 'running') = (lease_token is not null))
)
-- Progress is written every second.
with (fillfactor = 70);

create index jobs_due on jobs (leased_until, id) where state in ('waiting', 'running');
create index jobs_waiting_for_people on jobs (created_at) where state = 'ready';
create index jobs_ended on jobs (ended_at) where ended_at is not null;
create index jobs_by_kind on jobs (kind, id);

-- The files of jobs, in parts. An input can hold codes, so every part of one is sealed; it is erased when the job ends. A result
-- is compressed, holds no code, and is kept for 7 days.
create table job_parts (
  id bigint generated always as identity primary key,
  job_id text collate "C" not null references jobs (id) on delete cascade,
  role text not null check (role in ('input', 'result')),
  number integer not null check (number >= 0),
  sealed bytea,
  packed bytea,
  bytes integer not null check (bytes >= 0),
  constraint job_parts_once unique (job_id, role, number),
  constraint job_parts_content check (
    case role when 'input' then sealed is not null and packed is null else sealed is null and packed is not null end
  )
);
