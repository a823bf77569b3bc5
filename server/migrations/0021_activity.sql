-- Who did what, to what, and when. Rows are written in the transaction of what they tell and never change. Summaries of
-- before and after hold no secrets. The triggers that refuse changes are in guards.sql.
create table activity (
  id text collate "C" primary key check (id like 'act\_%'),
  at timestamptz(3) not null,
  actor_kind text not null check (actor_kind in ('key', 'user', 'staff', 'command', 'system')),
  actor_id text collate "C" not null check (length(actor_id) between 1 and 100),
  address text check (length(address) <= 45),
  action text collate "C" not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  object_kind text collate "C" not null check (object_kind ~ '^[a-z_]+$'),
  object_id text collate "C" not null check (length(object_id) between 1 and 200),
  reseller_id text collate "C",
  environment text check (environment in ('live', 'test')),
  before jsonb check (jsonb_typeof(before) = 'object'),
  after jsonb check (jsonb_typeof(after) = 'object')
);

create index activity_by_reseller on activity (reseller_id, id);
create index activity_by_object on activity (object_kind, object_id, id);
create index activity_by_actor on activity (actor_kind, actor_id, id);
create index activity_by_action on activity (action, id);
