-- What was imported into stock, when, by whom and at what cost. A code costs what its batch says. Without a cost it is not known, and the
-- code costs what the route says, as one does that has no batch.
create table stock_batches (
  id text collate "C" primary key,
  product_id text collate "C" not null,
  supplier_id text collate "C" not null references suppliers (id),
  code_count integer not null check (code_count > 0),
  cost_minor bigint check (cost_minor between 0 and 9007199254740991),
  cost_currency text check (cost_currency ~ '^[A-Z]{3}$'),
  actor_kind text not null,
  actor_id text not null,
  imported_at timestamptz(3) not null,
  constraint stock_batches_cost check ((cost_minor is null) = (cost_currency is null))
);
create index stock_batches_of_product on stock_batches (product_id, id);

alter table codes add column batch_id text collate "C" references stock_batches (id);
