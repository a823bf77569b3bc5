-- Each purchase that turns out to be made after it was written off is noted to be counted, and those from before are. Apart from
-- the trigger on orders: this reads all purchases, and orders must not wait for that.
create function note_late_purchase() returns trigger language plpgsql as $$
begin
  insert into report_changes (order_id, line_index, unit_index) values (new.order_id, new.line_index, new.unit_index);
  return null;
end $$;

create trigger supplier_attempts_note_late after update of status on supplier_attempts for each row
  when (old.status = 'open' and new.status = 'quarantined' and new.written_off_at is not null)
  execute function note_late_purchase();

-- The trigger above keeps changes of purchases away until this is committed.
insert into report_changes (order_id, line_index, unit_index)
select order_id, line_index, unit_index from supplier_attempts where status = 'quarantined' and written_off_at is not null;
