-- Apart from the change to the table, which keeps readers out as well. While the index is built, orders can be read but not
-- placed: about a second for a million orders.
-- The worker finds the completed orders that are still to be refunded; there are few at any time.
-- By id, which never changes: an index of what does would cost every update of an order.
create index orders_refund_after on orders (id) where refund_after_ms is not null and status = 'completed';
