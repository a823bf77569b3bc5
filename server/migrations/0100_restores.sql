-- The database was restored to an earlier time. Codes that were sold since are in stock again, so they are set aside.
create table restores (
  id bigint generated always as identity primary key,
  since timestamptz(3) not null,
  -- Whether the lost database said which codes were sold. Otherwise every code that it could have sold is set aside.
  knows_sold boolean not null,
  done_at timestamptz(3) not null,
  check (since <= done_at)
);

create table restored_codes (
  code_id text collate "C" primary key references codes (id),
  restore_id bigint not null references restores (id),
  -- Known to be sold. Such a code never returns to stock.
  was_sold boolean not null,
  -- When it returned to stock, because the lost database had not sold it.
  released_at timestamptz(3),
  check (not was_sold or released_at is null)
);
create index restored_codes_held on restored_codes (code_id) where not was_sold and released_at is null;

create trigger restores_append_only before update or delete on restores
  for each row execute function refuse_change();
create trigger restores_never_emptied before truncate on restores
  for each statement execute function refuse_change();
create trigger restored_codes_kept before delete on restored_codes
  for each row execute function refuse_change();
create trigger restored_codes_never_emptied before truncate on restored_codes
  for each statement execute function refuse_change();

-- A code that is known to be sold stays known as sold, and one that was released is not set aside again by the same restore.
create function check_restored_code() returns trigger language plpgsql as $$
begin
  if new.code_id <> old.code_id or new.restore_id < old.restore_id or (old.was_sold and not new.was_sold) then
    raise exception 'a code that was sold before a restore stays sold' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger restored_codes_follow_rules before update on restored_codes
  for each row execute function check_restored_code();
