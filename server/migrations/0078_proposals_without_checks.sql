-- Millions of proposals are written at once, for products that were read a moment before and are never deleted. Looking each one up again
-- took as long as everything else.
alter table price_proposals drop constraint price_proposals_product_id_fkey;
alter table withheld_prices drop constraint withheld_prices_product_id_fkey;
