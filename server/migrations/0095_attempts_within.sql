-- The first of three steps that put the attempts of deliveries into partitions of a week each, which are dropped when they are old. The
-- table as it is becomes the first partition: it holds everything before a time that is one to two weeks ahead. This constraint says so.
-- It is checked by the next migration, which lets others go on, so that nothing has to read the table under a lock that keeps them out.

-- The first id of a time: ten characters of Crockford's base32 are its milliseconds.
create function first_id_at(prefix text, at timestamptz) returns text language sql immutable parallel safe as $$
  select prefix || '_' || string_agg(
    substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> (45 - 5 * place)) & 31)::integer + 1, 1), '' order by place) || repeat('0', 16)
  from generate_series(0, 9) place, (select (extract(epoch from at) * 1000)::bigint as ms) moment
$$;

do $$
declare
  week_ms constant bigint := 7 * 86400000;
  weeks bigint := floor(extract(epoch from now()) * 1000 / week_ms);
begin
  execute format('alter table delivery_attempts add constraint delivery_attempts_first_part check (delivery_id < %L) not valid',
    first_id_at('dlv', to_timestamp((weeks + 2) * week_ms / 1000)));
end $$;

-- An attempt is written with the change of its delivery, by one statement, and read through it. The check of each row against its
-- delivery is not needed, and would keep old partitions from being dropped without a lock on deliveries.
alter table delivery_attempts drop constraint delivery_attempts_delivery_id_fkey;
