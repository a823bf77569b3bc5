-- A purchase by the id that its supplier gave it, for the console's search.
create index supplier_attempts_by_upstream on supplier_attempts (upstream_id) where upstream_id is not null;
