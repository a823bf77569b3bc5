-- The orders that a supplier was asked for, newest first. Apart from the changes to the same table: building an index takes long
-- on a large one, and must not hold their locks.
create index supplier_attempts_orders on supplier_attempts (supplier_id, order_id);
