-- As in 0124, for the lines of a product.
create index order_lines_by_product_hashed on order_lines (hashtextextended(product_id, tenant_hash(reseller_id, environment)), order_id);
do $$ begin
  if exists (select from order_lines) then analyze order_lines; end if;
end $$;
drop index order_lines_by_product;
alter index order_lines_by_product_hashed rename to order_lines_by_product;
