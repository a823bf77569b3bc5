-- Orders that are completed without being stored as `processing` (0092) have ended too, and are to be counted.
create or replace trigger orders_note_end after update of status on orders for each row
  when (old.status in ('pending', 'processing') and new.status in ('completed', 'failed'))
  execute function note_end();
