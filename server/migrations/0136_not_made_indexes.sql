-- A unit is bought once, however many purchases for it turn out to be made after they counted as not made.
drop index supplier_attempts_one_bought;
create unique index supplier_attempts_one_bought on supplier_attempts (order_id, line_index, unit_index)
  where status in ('delivered', 'quarantined') and not_made_at is null;

drop index supplier_attempts_written_off;
create index supplier_attempts_written_off on supplier_attempts (next_look_at)
  where status in ('open', 'not_made') and written_off_at is not null and next_look_at is not null;

-- How many of a supplier counted as not made lately.
create index supplier_attempts_not_made on supplier_attempts (supplier_id, not_made_at) where not_made_at is not null;
