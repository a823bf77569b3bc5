-- Attaches the table of attempts as the first partition of a new one with its name. The constraint of migration 0095 has been checked,
-- so no row is read. The workers create further partitions ahead of time (webhooks/delivery/attempt-partitions.ts). What none of them holds
-- goes to the default partition, until there is one.
alter table delivery_attempts rename to delivery_attempts_first;
alter table delivery_attempts_first rename constraint delivery_attempts_pkey to delivery_attempts_first_pkey;

create table delivery_attempts (
  like delivery_attempts_first including defaults including constraints,
  primary key (delivery_id, number)
) partition by range (delivery_id);
alter table delivery_attempts drop constraint delivery_attempts_first_part;

do $$
begin
  execute format('alter table delivery_attempts attach partition delivery_attempts_first for values from (minvalue) to (%L)', (
    select substring(pg_get_constraintdef(oid) from '''(dlv_\w+)''') from pg_constraint
    where conrelid = 'delivery_attempts_first'::regclass and conname = 'delivery_attempts_first_part'));
end $$;

create table delivery_attempts_default partition of delivery_attempts default;
