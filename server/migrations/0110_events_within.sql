-- The first of three steps that put events and deliveries into partitions of four weeks each, which are dropped when they are old. Each
-- table becomes the first partition: it holds everything before a time that is one to five weeks ahead. These constraints say so. They
-- are checked by the next migration, which lets others go on, so that nothing has to read the tables under a lock that keeps them out.
do $$
declare
  part_ms constant bigint := 28 * 86400000::bigint;
  parts bigint := floor(extract(epoch from now() + interval '7 days') * 1000 / part_ms);
  until timestamptz := to_timestamp((parts + 1) * part_ms / 1000);
begin
  execute format('alter table events add constraint events_first_part check (id < %L) not valid', first_id_at('evt', until));
  execute format('alter table deliveries add constraint deliveries_first_part check (id < %L) not valid', first_id_at('dlv', until));
end $$;
