-- Reads the tables while others go on. A partition's constraints must have been checked.
alter table events validate constraint events_first_part;
alter table events validate constraint events_subject;
alter table events validate constraint events_delivery;
alter table deliveries validate constraint deliveries_first_part;
