-- Comparisons of a supplier's statement with our purchases, kept with what they found. Never changed and never removed.
create table reconciliations (
  id text collate "C" primary key,
  supplier_id text collate "C" not null references suppliers (id),
  compared_at timestamptz not null,
  actor_kind text not null,
  actor_id text not null,
  period_from timestamptz not null,
  period_to timestamptz not null check (period_from < period_to),
  -- SHA-256 of the statement that came as a file. Null where the supplier was asked.
  file_digest bytea check (octet_length(file_digest) = 32),
  entries integer not null,
  matched integer not null,
  -- How many of each kind of finding there are, and the sums of each currency in minor units as text.
  counts jsonb not null check (jsonb_typeof(counts) = 'object'),
  totals jsonb not null check (jsonb_typeof(totals) = 'array'),
  -- Our balance at the supplier at both ends, and what was paid in between, where a person gave them.
  balance_currency text collate "C",
  opening_minor bigint,
  closing_minor bigint,
  deposits_minor bigint,
  check (num_nulls(balance_currency, opening_minor, closing_minor, deposits_minor) in (0, 4))
);

create index reconciliations_supplier on reconciliations (supplier_id, id);

create table reconciliation_findings (
  reconciliation_id text collate "C" not null references reconciliations (id),
  number integer not null,
  kind text collate "C" not null,
  reference text,
  upstream_id text,
  -- The unit that the purchase was for, where it is one of ours.
  order_id text collate "C",
  line_index smallint,
  unit_index integer,
  currency text collate "C" not null,
  ours_minor bigint not null,
  theirs_minor bigint not null,
  at timestamptz,
  reason text,
  primary key (reconciliation_id, number),
  check (num_nulls(order_id, line_index, unit_index) in (0, 3))
);
