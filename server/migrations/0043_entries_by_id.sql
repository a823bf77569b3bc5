-- The few entries of the ledger that pay for no order, for the console's search. An order's entry is found by the order.
create index ledger_entries_by_id on ledger_entries (id) where type <> 'order';
