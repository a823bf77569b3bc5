-- What the console searches by. Names are found by their words, everything else as it is. Nothing here changes with an order. The
-- indexes of large tables have migrations of their own, so that none holds the lock of another while it is built.
create index products_by_words on products using gin (to_tsvector('simple', translate(id || ' ' || name, '-_./:', '     ')));
create index resellers_by_words on resellers using gin (to_tsvector('simple', translate(name, '-_./:', '     ')));
create index suppliers_by_words on suppliers using gin (to_tsvector('simple', translate(name, '-_./:', '     ')));
create index resellers_by_email on resellers (lower(email));
create index accounts_by_email on accounts (email) where removed_at is null;
create index api_keys_by_last_four on api_keys (last_four, id);
