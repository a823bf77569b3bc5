-- Purchases whose code a person entered, for the audit. There are few.
create index supplier_attempts_entered on supplier_attempts (order_id, line_index, unit_index) where by_hand;
