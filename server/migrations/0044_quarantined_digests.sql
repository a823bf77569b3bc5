-- A quarantined code by its digest, for the console's search.
create index codes_quarantined_known on codes (digest) where state = 'quarantined';
