-- Who was shown the codes of an order: a kind and an id, in the same columns as in orders (0013), read as `r.actor`.
alter table code_reveals
  add column actor_kind text not null default 'key',
  add column actor_id text collate "C",
  alter column key_id drop not null;
alter table code_reveals
  add constraint code_reveals_actor check (
    case when actor_kind = 'key' then key_id is not null and actor_id is null
      else actor_kind in ('user', 'staff', 'command', 'system') and key_id is null and actor_id is not null end
  ) not valid;

create function actor(code_reveals) returns json language sql stable parallel safe as $$
  select json_build_object('kind', $1.actor_kind, 'id', coalesce($1.key_id, $1.actor_id))
$$;
