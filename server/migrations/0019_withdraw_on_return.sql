-- A code that an unfinished order holds back cannot be withdrawn, and may return to stock when the order fails. One that the
-- operator has withdrawn meanwhile must not be sold again.
alter table codes add column withdraw_on_return boolean not null default false;
