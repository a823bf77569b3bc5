-- A deposit is credited by one entry.
create unique index ledger_entries_of_deposit on ledger_entries (deposit_id) where deposit_id is not null;
