-- Why an attempt went to its supplier: by priority or by cost, and how many others were passed over. Ours alone.
alter table supplier_attempts
  add column chosen text,
  add constraint supplier_attempts_chosen check (length(chosen) <= 200) not valid;

-- Products of which a unit was refunded because every supplier would have sold it at a loss. For an alert.
create table loss_stops (
  product_id text collate "C" primary key,
  order_id text collate "C" not null,
  stopped_at timestamptz(3) not null
);

-- What a unit cost as of acceptance, in the currency of its price: the second place of a basis (pricing/price-basis.ts). Null where
-- the cost was not known.
create function basis_landed(basis text) returns bigint language sql immutable parallel safe as $$
  select nullif(split_part(basis, '|', 2), '')::bigint
$$;
