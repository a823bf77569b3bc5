-- An order that is delivered whole or refunded whole (CONTRACT 4, `fulfilment`). Its codes are shown when it is completed.
alter table orders add column all_or_nothing boolean not null default false;

-- incomplete: it was bought for an order of which something else could not be had, and that wanted all or nothing.
alter table codes drop constraint codes_quarantine_reason_check;
-- Not valid: all codes from before satisfy the narrower constraint, and a look at each would lock a large table for long.
alter table codes add constraint codes_quarantine_reason_check
  check (quarantine_reason in ('duplicate', 'late', 'incomplete')) not valid;
