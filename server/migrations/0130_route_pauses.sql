-- A unit that cost more than the limit of its route pauses the route until a person enables it. Prices follow: the triggers of migration
-- 0075 note each change of a route.
alter table supplier_routes
  -- The cost was read from the supplier's catalog. Such a route may cost more by the supplier's headroom.
  add column synced boolean not null default false,
  add column paused_at timestamptz(3),
  add column paused_reason text,
  -- What the unit was expected to cost, what it could have cost at most, and what was charged.
  add column paused_expected_minor bigint,
  add column paused_limit_minor bigint,
  add column paused_charged_minor bigint,
  add column paused_currency text,
  -- The purchase.
  add column paused_order_id text collate "C",
  add column paused_line_index smallint,
  add column paused_unit_index integer,
  add column paused_attempt smallint,
  add constraint supplier_routes_pause check (
    num_nulls(paused_at, paused_reason, paused_expected_minor, paused_limit_minor, paused_charged_minor, paused_currency,
              paused_order_id, paused_line_index, paused_unit_index, paused_attempt) in (0, 10)
    and (paused_reason is null or paused_reason in ('overcharged'))
  );
create index supplier_routes_paused on supplier_routes (paused_at) where paused_at is not null;

alter table suppliers
  -- How far above its cost a unit of a synced route may be charged.
  add column headroom_bp integer not null default 200 check (headroom_bp between 0 and 10000),
  -- So many overcharges in 24 hours disable the supplier, and a charge so far above the cost.
  add column overcharge_times smallint not null default 3 check (overcharge_times between 1 and 100),
  add column overcharge_above_bp integer not null default 2000 check (overcharge_above_bp between 0 and 1000000),
  -- When routes were paused in the last 24 hours, since the supplier was last enabled.
  add column overcharged_at timestamptz(3)[] not null default '{}',
  add column disabled_at timestamptz(3),
  add column disabled_reason text check (
    disabled_reason in ('by_hand', 'other_currency', 'unreadable_price', 'large_overcharge', 'repeated_overcharges')
  ),
  -- The purchase that disabled it: product, order, amounts.
  add column disabled_purchase jsonb check (jsonb_typeof(disabled_purchase) = 'object');
