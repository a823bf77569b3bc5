-- When a rate moves, every price by rule moves with it. Room on the page keeps the new versions there, without new index entries.
alter table list_prices set (fillfactor = 70);
alter table reseller_prices set (fillfactor = 70);
