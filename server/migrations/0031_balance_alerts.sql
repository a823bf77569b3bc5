-- Below which balance a reseller wants to be told. It is a table of its own, so that placements neither read nor write it.
create table wallet_alerts (
  reseller_id text collate "C" not null,
  environment text not null,
  below_minor bigint not null check (below_minor > 0),
  -- The last entry that was looked at. Later ones may have crossed the threshold.
  seen_sequence bigint not null check (seen_sequence >= 0),
  changed_at timestamptz(3) not null,
  primary key (reseller_id, environment),
  foreign key (reseller_id, environment) references wallets (reseller_id, environment)
);

-- Who gets letters of a kind. Where there is no row, the reseller's own address gets them.
create table notice_addresses (
  reseller_id text collate "C" not null references resellers (id),
  kind text not null check (kind in ('wallet_low', 'webhook_failing', 'webhook_disabled')),
  addresses text[] not null check (cardinality(addresses) between 1 and 5),
  primary key (reseller_id, kind)
);
