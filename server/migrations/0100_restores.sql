-- The database was restored to an earlier time. Codes that were sold since are in stock again, so they are set aside.
create table restores (
  id bigint generated always as identity primary key,
  since timestamptz(3) not null,
  -- Whether the lost database said which codes were sold. Otherwise every code that it could have sold is set aside.
  knows_sold boolean not null,
  done_at timestamptz(3) not null,
  check (since <= done_at)
);

-- Codes that were set aside. The audit finds one that is gone, so no reference has to keep it.
create table restored_codes (
  code_id text collate "C" primary key,
  restore_id bigint not null references restores (id),
  -- It returns to stock if the lost database turns out not to have sold it. Otherwise it was sold, or withdrawn since.
  may_return boolean not null,
  -- When it returned to stock.
  released_at timestamptz(3),
  check (may_return or released_at is null)
);
create index restored_codes_held on restored_codes (code_id) where may_return and released_at is null;

-- Codes that only the lost database knew, and that it sold. An import refuses them.
create table lost_codes (
  digest bytea primary key check (length(digest) = 32),
  restore_id bigint not null references restores (id)
);

create trigger restores_append_only before update or delete on restores
  for each row execute function refuse_change();
create trigger restores_never_emptied before truncate on restores
  for each statement execute function refuse_change();
create trigger restored_codes_kept before delete on restored_codes
  for each row execute function refuse_change();
create trigger restored_codes_never_emptied before truncate on restored_codes
  for each statement execute function refuse_change();
create trigger lost_codes_append_only before update or delete on lost_codes
  for each row execute function refuse_change();
create trigger lost_codes_never_emptied before truncate on lost_codes
  for each statement execute function refuse_change();

-- A code that is known to be sold stays so.
create function check_restored_code() returns trigger language plpgsql as $$
begin
  if new.code_id <> old.code_id or new.restore_id < old.restore_id or (new.may_return and not old.may_return) then
    raise exception 'a code that was sold before a restore stays sold' using errcode = 'check_violation';
  end if;
  return new;
end $$;
create trigger restored_codes_follow_rules before update on restored_codes
  for each row execute function check_restored_code();
