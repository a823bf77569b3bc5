-- What a supplier last answered to a purchase and to a look-up of it: a class in our own words, such as timeout or not_found,
-- and never anything of the answer itself. Null where nothing was answered yet, and for purchases from before this migration.
alter table supplier_attempts
  add column send_answer text,
  add column look_answer text,
  add column looked_at timestamptz(3),
  -- Not valid: rows from before hold nulls and need no look, which would lock a large table for long.
  add constraint supplier_attempts_answers check (
    (send_answer is null or send_answer ~ '^[a-z_]{1,40}$') and (look_answer is null or look_answer ~ '^[a-z_]{1,40}$')
  ) not valid;
