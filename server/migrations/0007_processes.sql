-- The processes that serve, one row each. A process writes its own row once a second, and nobody else does: it shows who
-- is alive, and a server that answers the write is still the primary. No index changes with the write, and pages have room,
-- so it costs no more than one small page.
create table processes (
  id text primary key,
  role text not null constraint processes_role check (role in ('all', 'api', 'worker')),
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null default now(),
  beat_at timestamptz not null default now()
) with (fillfactor = 50);
