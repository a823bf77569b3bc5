-- As in 0124, for the lines of a product.
drop index order_lines_by_product;
create index order_lines_by_product on order_lines (hashtextextended(product_id, tenant_hash(reseller_id, environment)), order_id);

-- The planner knows nothing of the hashes yet. An empty table would be taken for one that stays empty.
do $$ begin
  if exists (select from order_lines) then analyze order_lines; end if;
end $$;
