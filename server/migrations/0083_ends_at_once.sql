-- An order that is completed at once goes from `pending` to `completed` without being stored as `processing` (migration 0092). It is noted
-- to be counted as ended like any other.
create or replace trigger orders_note_end after update of status on orders for each row
  when (old.status in ('pending', 'processing') and new.status in ('completed', 'failed'))
  execute function note_end();
