-- Attaches the tables of events and deliveries as the first partitions of new ones with their names. The constraints of migration 0110 have
-- been checked and the indexes are there, so no row is read. The workers create further partitions ahead of time
-- (events/event-partitions.ts). What none of them holds goes to the default partition, until there is one.
--
-- A delivery's id has the time of its event, so both are in partitions of the same time.

-- The check of each delivery against its event is done by the trigger deliveries_endpoint, which joins both anyway. A foreign key would keep
-- old partitions from being dropped without a look at every delivery.
alter table deliveries drop constraint deliveries_event_id_fkey;
drop trigger events_keep on events;
drop trigger events_owner on events;
drop trigger events_scenario on events;
drop trigger deliveries_endpoint on deliveries;
drop trigger deliveries_stay on deliveries;

alter table events rename to events_first;
alter table events_first rename constraint events_pkey to events_first_pkey;
alter index events_of_tenant rename to events_first_of_tenant;
alter index events_once rename to events_first_once;
alter index events_once_per_subject rename to events_first_once_per_subject;
-- It was for finding old events to delete.
drop index events_by_time;

alter table deliveries rename to deliveries_first;
alter table deliveries_first rename constraint deliveries_pkey to deliveries_first_pkey;
alter table deliveries_first rename constraint deliveries_endpoint_id_fkey to deliveries_first_endpoint_id_fkey;
alter index deliveries_once rename to deliveries_first_once;
alter index deliveries_of_endpoint rename to deliveries_first_of_endpoint;
alter index deliveries_waiting rename to deliveries_first_waiting;

create table events (
  like events_first including defaults including constraints,
  primary key (id)
) partition by range (id);
alter table events drop constraint events_first_part;
create index events_of_tenant on events (reseller_id, environment, id);

create table deliveries (
  like deliveries_first including defaults including constraints,
  primary key (id),
  constraint deliveries_endpoint_id_fkey foreign key (endpoint_id) references webhook_endpoints (id)
) partition by range (id);
alter table deliveries drop constraint deliveries_first_part;
create index deliveries_of_endpoint on deliveries (endpoint_id, id);
create index deliveries_waiting on deliveries (endpoint_id, next_attempt_at, id) where status = 'pending';

do $$
declare
  first record;
begin
  for first in select unnest(array['events', 'deliveries']) as name loop
    execute format('alter table %I attach partition %I for values from (minvalue) to (%L)', first.name, first.name || '_first', (
      select substring(pg_get_constraintdef(oid) from '''(\w{3}_\w+)''') from pg_constraint
      where conrelid = to_regclass(first.name || '_first') and conname = first.name || '_first_part'));
  end loop;
end $$;

-- An index that is unique over all partitions would have to contain the id. So each partition has its own.
create table events_default partition of events default;
create unique index events_default_once on events_default (order_id, cause) where order_id is not null;
create unique index events_default_once_per_subject on events_default (subject_kind, subject_id, reseller_id, environment, cause)
  where subject_id is not null;
create table deliveries_default partition of deliveries default;
create unique index deliveries_default_once on deliveries_default (event_id, endpoint_id);

-- An event belongs to the reseller and the environment of its order, and has a cause that no other event of its subject has. Within a
-- partition its indexes see to that. Other partitions are looked into only if they can have such an event: an order has no events before
-- it is placed. The hour is for clocks that differ.
create function refuse_wrong_event() returns trigger language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  is_other boolean;
  is_maybe_told boolean;
begin
  select bool_or(o.environment <> w.environment or o.reseller_id <> w.reseller_id),
         bool_or(w.cause is not null
           and (o.id is null or o.created_at < date_bin('28 days', w.created_at, 'epoch'::timestamptz) + interval '1 hour'))
  into is_other, is_maybe_told
  from written w left join orders o on o.id = w.order_id;
  if is_other then
    raise exception '% of another environment or reseller than the order', tg_table_name
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  if is_maybe_told and (
    exists (
      select from written w join events e on e.order_id = w.order_id and e.cause = w.cause and e.id <> w.id
    ) or exists (
      select from written w
      join events e on e.subject_kind = w.subject_kind and e.subject_id = w.subject_id and e.reseller_id = w.reseller_id
        and e.environment = w.environment and e.cause = w.cause and e.id <> w.id
    )
  ) then
    raise exception 'an event with this cause was written before, in another partition'
      using errcode = 'unique_violation', constraint = 'events_once_ever', table = tg_table_name;
  end if;
  return null;
end $$;

-- A delivery has an event, and both belong to the reseller and the environment of its endpoint.
create or replace function refuse_other_endpoint() returns trigger language plpgsql
set enable_seqscan = off
set enable_hashjoin = off
set enable_mergejoin = off
as $$
declare
  is_lost boolean;
  is_other boolean;
begin
  select bool_or(e.id is null), bool_or(w.environment <> e.environment or w.reseller_id <> e.reseller_id)
  into is_lost, is_other
  from written d
  left join events e on e.id = d.event_id
  join webhook_endpoints w on w.id = d.endpoint_id;
  if is_lost then
    raise exception 'a delivery without an event'
      using errcode = 'foreign_key_violation', constraint = 'deliveries_event', table = tg_table_name;
  end if;
  if is_other then
    raise exception 'an event and an endpoint of another environment or reseller'
      using errcode = 'check_violation', constraint = tg_name, table = tg_table_name;
  end if;
  return null;
end $$;

create trigger events_keep before update on events for each row execute function refuse_change();
create trigger events_scenario before insert on events for each row
  when (new.test_scenario is not null or new.send_twice or new.bad_signature)
  execute function translate_event_scenario();
create trigger events_owner after insert on events referencing new table as written
  for each statement execute function refuse_wrong_event();
create trigger deliveries_endpoint after insert on deliveries referencing new table as written
  for each statement execute function refuse_other_endpoint();
create trigger deliveries_stay before update of event_id, endpoint_id on deliveries
  for each row execute function refuse_move();
