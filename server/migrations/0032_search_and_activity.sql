-- What the console searches by. Names are found by their words, everything else as it is. Nothing here changes with an order,
-- except for the few entries of a ledger that pay for none and the references of suppliers.
create index products_by_words on products using gin (to_tsvector('simple', translate(id || ' ' || name, '-_./:', '     ')));
create index resellers_by_words on resellers using gin (to_tsvector('simple', translate(name, '-_./:', '     ')));
create index suppliers_by_words on suppliers using gin (to_tsvector('simple', translate(name, '-_./:', '     ')));
create index resellers_by_email on resellers (lower(email));
create index accounts_by_email on accounts (email) where removed_at is null;
create index api_keys_by_last_four on api_keys (last_four, id);
create index supplier_attempts_by_upstream on supplier_attempts (upstream_id) where upstream_id is not null;
create index ledger_entries_by_id on ledger_entries (id) where type <> 'order';
create index codes_quarantined_known on codes (digest) where state = 'quarantined';

-- The log by who did it, whatever their id, and by what it was done to, whatever its kind.
create index activity_by_kind on activity (actor_kind, id);
create index activity_by_object_id on activity (object_id, id);
