-- The log by who did it, whatever their id, and by what it was done to, whatever its kind.
create index activity_by_kind on activity (actor_kind, id);
create index activity_by_object_id on activity (object_id, id);
