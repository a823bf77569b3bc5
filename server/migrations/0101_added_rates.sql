-- Prices are worked out again for rates that were added. A statement that adds none, as when a reference file is read again, changes
-- no price.
create function note_rate_prices() returns trigger language plpgsql as $$
begin
  insert into price_changes (product_id) select '' from added limit 1;
  return null;
end $$;
create or replace trigger fx_rates_change_prices after insert on fx_rates
  referencing new table as added for each statement execute function note_rate_prices();
