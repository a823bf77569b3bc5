-- The last comparison of a supplier's catalog with our routes. What a person has seen here can be applied, and nothing else.
create table supplier_syncs (
  supplier_id text collate "C" primary key references suppliers (id),
  proposed_at timestamptz not null,
  items jsonb not null check (jsonb_typeof(items) = 'array')
);
