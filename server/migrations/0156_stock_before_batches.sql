-- What was imported before there were batches is one for each product and supplier, at the cost of the route as it is now. A later import
-- with another cost does not change what they cost.
insert into stock_batches (id, product_id, supplier_id, code_count, cost_minor, cost_currency, actor_kind, actor_id, imported_at)
select 'bat' || substr(min(c.id), 4), c.product_id, c.supplier_id, count(*), r.cost_minor, r.cost_currency, 'system', 'scrip', min(c.created_at)
from codes c
join suppliers s on s.id = c.supplier_id and s.has_own_stock
left join supplier_routes r on r.product_id = c.product_id and r.supplier_id = c.supplier_id
where c.environment = 'live' and c.state in ('stock', 'expired', 'withdrawn')
group by c.product_id, c.supplier_id, r.cost_minor, r.cost_currency;

update codes c set batch_id = b.id
from stock_batches b
where b.product_id = c.product_id and b.supplier_id = c.supplier_id
  and c.environment = 'live' and c.state in ('stock', 'expired', 'withdrawn');
