-- An order that can be delivered from stock as a whole is completed by the worker that finds it, in one transaction: it passes
-- `processing` without being stored as such. CONTRACT 4.
create or replace trigger orders_status_moves before update of status on orders for each row
  when (old.status <> new.status and (old.status, new.status) not in (
    ('pending', 'processing'), ('pending', 'completed'), ('processing', 'completed'), ('processing', 'failed'),
    ('failed', 'refunded'), ('completed', 'refunded')
  ))
  execute function refuse_status();
