-- The latest readings of an order's codes, however many there were. The old index is a part of this one.
create index code_reveals_latest on code_reveals (order_id, id);
drop index code_reveals_by_order;
