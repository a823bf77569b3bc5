-- Reads the table while others go on. A partition's constraints must have been checked.
alter table delivery_attempts validate constraint delivery_attempts_first_part;
alter table delivery_attempts validate constraint delivery_attempts_headers;
