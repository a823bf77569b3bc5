-- What is in stock now. It is not done with the new column, because that would lock the routes meanwhile. The first code in the order of
-- its index is looked for (suppliers/stock/stock-order).
update supplier_routes r set in_stock = true
from suppliers s
where s.id = r.supplier_id and s.has_own_stock and (
  select true from codes c
  where c.state = 'stock' and c.product_id = r.product_id and c.supplier_id = r.supplier_id
    and (c.expires_at is null or c.expires_at > now())
  order by c.product_id, c.supplier_id, c.expires_at, c.id limit 1
);

-- Until now prices kept the cost of stock that ran out. The update has noted the products with stock; these are the ones without.
insert into price_changes (product_id)
select distinct r.product_id from supplier_routes r join suppliers s on s.id = r.supplier_id
where s.has_own_stock and not r.in_stock;
