-- The operator's movements over all wallets, newest first. Most entries pay for orders and are not in it.
create index ledger_entries_movements on ledger_entries (environment, id) where type in ('deposit', 'adjustment');
