-- Apart from the change to the table: building an index takes long on a large one, and must not hold the table's lock.
-- The worker finds the completed orders that are still to be refunded; there are few at any time.
-- By id, which never changes: an index of what does would cost every update of an order.
create index orders_refund_after on orders (id) where refund_after_ms is not null and status = 'completed';
