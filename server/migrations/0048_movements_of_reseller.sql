-- The operator's movements in the wallets of one reseller, newest first, for the filter of the console's list.
create index ledger_entries_movements_of on ledger_entries (reseller_id, environment, id) where type in ('deposit', 'adjustment');
