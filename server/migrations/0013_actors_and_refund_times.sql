-- Who placed an order: a kind and an id. Until now it was always an API key. Migration 0025 does the same for code_reveals: one
-- migration locks one busy table, because a reveal locks them in another order.
--
-- The id of a key stays in key_id, and the id of every other actor is in actor_id. Exactly one of the two is there. So the rows
-- from before need no change, and processes of the version before, which insert key_id and know no other column, go on writing
-- rows that are right. It is read through the function actor(row), here `o.actor`, and nowhere else.
alter table orders
  add column actor_kind text not null default 'key',
  add column actor_id text collate "C",
  alter column key_id drop not null;
-- Not valid: all rows from before satisfy it, and a look at each would lock a large table for long.
alter table orders
  add constraint orders_actor check (
    case when actor_kind = 'key' then key_id is not null and actor_id is null
      else actor_kind in ('user', 'staff', 'command', 'system') and key_id is null and actor_id is not null end
  ) not valid;

create function actor(orders) returns json language sql stable parallel safe as $$
  select json_build_object('kind', $1.actor_kind, 'id', coalesce($1.key_id, $1.actor_id))
$$;

-- How long after its completion a sandbox order is refunded. Decided when the order is accepted; null means never.
alter table orders add column refund_after_ms integer;
alter table orders add constraint orders_refund_after check (
  refund_after_ms is null or environment = 'test' and refund_after_ms >= 0
) not valid;

-- Processes of the version before write the scenario alone. This trigger and its function can go together with the index
-- orders_to_refund_after once no such process can run any more: in a migration of the next version.
create function fill_refund_after() returns trigger language plpgsql as $$
begin
  new.refund_after_ms := 2000;
  return new;
end $$;

create trigger orders_fill_refund_after before insert on orders for each row
  when (
    new.test_scenario = 'refunded_after_completion' and new.environment = 'test' and new.refund_after_ms is null
  )
  execute function fill_refund_after();

-- Orders from before that are still to be refunded. Completed ones are in the old index, unfinished ones have work. These statements
-- wait for no row, because the changes above have locked the table. For the same reason they must not read all of it.
set local enable_seqscan = off;
set local enable_hashjoin = off;
set local enable_mergejoin = off;
set local jit = off;
update orders set refund_after_ms = 2000
where test_scenario = 'refunded_after_completion' and status = 'completed';
update orders set refund_after_ms = 2000
where test_scenario = 'refunded_after_completion' and refund_after_ms is null
  and id in (select order_id from order_work);
