-- Purchases that we delivered and the supplier took back later. What follows is the operator's decision: a refund of the unit, or
-- nothing. A row is written once for each purchase and never removed.
create table supplier_reversals (
  order_id text collate "C" not null,
  line_index smallint not null,
  unit_index integer not null,
  number smallint not null,
  supplier_id text collate "C" not null references suppliers (id),
  found_at timestamptz not null,
  -- When the operator decided to leave the unit as it is. A refund of the unit needs no entry here.
  kept_at timestamptz,
  primary key (order_id, line_index, unit_index, number),
  foreign key (order_id, line_index, unit_index, number)
    references supplier_attempts (order_id, line_index, unit_index, number)
);

create index supplier_reversals_open on supplier_reversals (found_at) where kept_at is null;

-- When a supplier's books were last read for reversals.
alter table suppliers add column reversals_read_at timestamptz;
