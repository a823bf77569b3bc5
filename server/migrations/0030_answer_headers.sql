-- The headers of a receiver's answer, one on each line, without those that may hold a secret. Attempts from before this
-- migration have none.
alter table delivery_attempts add column response_headers text;
alter table delivery_attempts add constraint delivery_attempts_headers check (length(response_headers) <= 2048) not valid;
