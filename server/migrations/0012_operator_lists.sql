-- Apart from the changes to the same tables: building an index takes long on a large one, and must not hold their locks.
create index codes_withdrawn on codes (product_id, id) where state = 'withdrawn';

-- The operator's lists of what needs a look. Few orders are in them, and few updates touch them.
create index orders_failed on orders (id) where status = 'failed';
create index orders_held on orders (id) where refund_held;
