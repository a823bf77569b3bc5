-- Kinds of suppliers are listed by suppliers/registry.ts alone, so that a new kind needs no migration. What the statements
-- need to know of a kind is a column: a supplier without a config sells from the operator's own stock, all others are called.
alter table suppliers
  drop constraint suppliers_kind_check,
  drop constraint suppliers_config,
  add constraint suppliers_kind check (kind ~ '^[a-z][a-z0-9_]{0,31}$'),
  add column has_own_stock boolean not null generated always as (sealed_config is null) stored;
