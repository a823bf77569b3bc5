-- From here on each order that ends is noted to be counted. Processes of the version before are covered as well, because a
-- trigger does it.

create function note_end() returns trigger language plpgsql as $$
begin
  insert into report_changes (order_id) values (new.id);
  return null;
end $$;

create trigger orders_note_end after update of status on orders for each row
  when (old.status = 'processing' and new.status in ('completed', 'failed'))
  execute function note_end();

-- No order changes while this migration runs. What has been placed by now is counted from the ledger, with its end, except for
-- orders that have not ended: those are noted by the trigger when they do.
create table report_unended (order_id text collate "C" primary key);
insert into report_unended (order_id)
select o.id from order_work w join orders o on o.id = w.order_id where o.status in ('pending', 'processing');

insert into report_wallets (reseller_id, environment, history_sequence)
select reseller_id, environment, sequence from wallets;
