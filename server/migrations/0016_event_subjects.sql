-- Events about anything, not only orders.
--
-- An event about an order keeps its order in order_id, and the unique index events_once (order_id, cause) keeps guarding it.
-- An event about anything else has subject_kind and subject_id, and an index of its own. So each event is in exactly one of
-- the two indexes: rows from before this migration need no rewrite, a process of the previous version can go on inserting
-- (order_id, cause), the filter by order stays a read of events_once, and an event costs as much as before.
alter table events
  add column subject_kind text,
  add column subject_id text collate "C",
  drop constraint events_order;
-- Not valid: all rows from before satisfy it, and a look at each would lock a large table for long. Migration 0026 adds the index.
alter table events
  add constraint events_subject check (
    (subject_kind is null) = (subject_id is null)
    and num_nonnulls(order_id, subject_id) = num_nonnulls(cause)
    and (subject_kind is null or subject_kind ~ '^[a-z]+$' and subject_kind <> 'order')
    and (subject_id is null or length(subject_id) between 1 and 255)
  ) not valid;

-- How the sandbox was asked to deliver an event. Code decides this from the scenario when the event is written, so no query
-- has to know the names of scenarios. A late delivery needs no column: its first attempt is due later.
alter table events
  add column send_twice boolean not null default false,
  add column bad_signature boolean not null default false;
alter table events
  add constraint events_delivery check (environment = 'test' or not (send_twice or bad_signature)) not valid;

-- Events that exist and are still to be delivered, once; then those that a process of the previous version writes, or delivers, while both versions run.
alter table events disable trigger events_keep;
update events
set send_twice = test_scenario = 'webhook_duplicate', bad_signature = test_scenario = 'webhook_bad_signature'
where test_scenario in ('webhook_duplicate', 'webhook_bad_signature')
  and id in (select event_id from deliveries where status = 'pending');
alter table events enable trigger events_keep;

create function translate_event_scenario() returns trigger language plpgsql as $$
begin
  if new.test_scenario is null then
    new.test_scenario := case when new.send_twice then 'webhook_duplicate' else 'webhook_bad_signature' end;
  else
    new.send_twice := new.test_scenario = 'webhook_duplicate';
    new.bad_signature := new.test_scenario = 'webhook_bad_signature';
  end if;
  return new;
end $$;

create trigger events_scenario before insert on events for each row
  when (new.test_scenario is not null or new.send_twice or new.bad_signature)
  execute function translate_event_scenario();
