-- The operator may accept to pay more for a unit than its cost, up to this much. Null: no more than the cost.
alter table supplier_routes
  add column max_cost_minor bigint,
  add constraint supplier_routes_max_cost check (
    max_cost_minor is null or (cost_minor is not null and max_cost_minor between cost_minor and 9007199254740991)
  );

-- What the supplier itself says a unit costs: what it charged where it sold the unit, what it asked for where its price was
-- the reason for its refusal. Null where it did not say: stock, and every purchase from before this migration. There the
-- cost of the route counts, as it always did.
alter table supplier_attempts
  add column max_cost_minor bigint,
  add column supplier_price_minor bigint,
  add column supplier_price_currency text,
  -- Not valid: rows from before hold nulls and need no look, which would lock a large table for long.
  add constraint supplier_attempts_price check (
    (supplier_price_minor is null) = (supplier_price_currency is null)
    and (supplier_price_minor is null or supplier_price_minor between 0 and 9007199254740991)
    and (supplier_price_currency is null or supplier_price_currency ~ '^[A-Z]{3}$')
  ) not valid;
