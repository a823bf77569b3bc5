-- A purchase ends when the supplier never took it (CONTRACT 8): after enough look-ups that do not find it, over enough time.
-- Null is the default, that of the kind for the lag (suppliers/look-ups/not-found-rule.ts).
alter table suppliers
  add column not_found_times smallint check (not_found_times between 1 and 100),
  add column not_found_over_ms integer check (not_found_over_ms between 60000 and 86400000),
  -- How long its books may lag behind what it sells.
  add column resend_after_ms integer check (resend_after_ms between 0 and 3600000),
  add column not_made_per_hour integer check (not_made_per_hour between 0 and 100000);

alter table supplier_attempts
  -- Look-ups that count, and when the first of them was asked.
  add column not_found_looks integer not null default 0,
  add column not_found_since timestamptz(3),
  -- books_differ: the supplier's books lack a purchase that was delivered. too_many: too many would count as not made in an hour. Both
  -- wait for a person. confirmed: a person has said that it counts when it is not found once more.
  add column not_found_state text,
  -- It counts as not made since then. It is followed like a purchase that was written off: what still arrives goes to quarantine.
  add column not_made_at timestamptz(3),
  drop constraint supplier_attempts_status_check,
  add constraint supplier_attempts_status_check
    check (status in ('open', 'delivered', 'refused', 'quarantined', 'not_made')) not valid,
  drop constraint supplier_attempts_written_off,
  add constraint supplier_attempts_written_off check (
    case when status = 'open' then (written_off_at is null) = (next_look_at is null)
      else next_look_at is null or written_off_at is not null end
  ) not valid,
  add constraint supplier_attempts_not_found check (
    not_found_looks >= 0 and not_found_state in ('books_differ', 'too_many', 'confirmed')
  ) not valid,
  add constraint supplier_attempts_not_made check (
    case when not_made_at is null then status <> 'not_made'
      else written_off_at is not null and status in ('not_made', 'refused', 'quarantined') end
  ) not valid;

-- Two purchases of one unit can turn out to be made after they counted as not made. Each is counted once.
alter table report_changes add column number smallint;

create or replace function note_late_purchase() returns trigger language plpgsql as $$
begin
  insert into report_changes (order_id, line_index, unit_index, number)
  values (new.order_id, new.line_index, new.unit_index, new.number);
  return null;
end $$;

drop trigger supplier_attempts_note_late on supplier_attempts;
create trigger supplier_attempts_note_late after update of status on supplier_attempts for each row
  when (old.status in ('open', 'not_made') and new.status = 'quarantined' and new.written_off_at is not null)
  execute function note_late_purchase();
