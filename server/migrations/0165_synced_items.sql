-- What the last comparison of a supplier's catalog left out or could not read, so that a person sees it beside the proposal.
alter table supplier_syncs
  add column unchanged integer not null default 0,
  add column left_out jsonb not null default '{}' check (jsonb_typeof(left_out) = 'object'),
  add column odd jsonb not null default '[]' check (jsonb_typeof(odd) = 'array'),
  -- All of them; the list above ends somewhere.
  add column odd_count integer not null default 0;

-- Which product a supplier's item became. If it comes back after it was gone, it is the same product again and not a second one.
create table supplier_items (
  supplier_id text collate "C" not null references suppliers (id),
  item text collate "C" not null,
  product_id text collate "C" not null references products (id),
  primary key (supplier_id, item)
);
