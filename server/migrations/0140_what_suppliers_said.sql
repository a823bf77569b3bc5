-- What a supplier said in its own words to a purchase and to the last look-up of it: the HTTP status, and its status word where that
-- is short and plain. Never a code. Its id of the purchase is kept apart from upstream_id while the rest of the answer is not believed.
alter table supplier_attempts
  add column send_http_status smallint,
  add column send_status_word text,
  add column look_http_status smallint,
  add column look_status_word text,
  -- What its books had last: sold, or under way there. Null while it never said one of them.
  add column told_state text,
  add column told_upstream_id text,
  -- A person entered the code that the supplier sent by mail.
  add column by_hand boolean not null default false,
  add constraint supplier_attempts_told check (
    (send_http_status is null or send_http_status between 100 and 599)
    and (look_http_status is null or look_http_status between 100 and 599)
    and (send_status_word is null or send_status_word ~ '^[A-Za-z0-9 _-]{1,40}$')
    and (look_status_word is null or look_status_word ~ '^[A-Za-z0-9 _-]{1,40}$')
    and (told_state is null or told_state in ('sold', 'pending'))
    and (told_upstream_id is null or length(told_upstream_id) <= 200)
  ) not valid,
  add constraint supplier_attempts_by_hand check (not by_hand or status = 'delivered') not valid;
