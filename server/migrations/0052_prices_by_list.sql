-- The products that have a price in a list. A change of a price changes none of these columns.
create index list_prices_by_list on list_prices (price_list, currency, product_id);
