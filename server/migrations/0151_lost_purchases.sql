-- The few purchases of which something can be lost, for the list that is sent to a supplier (reports/list-lost).
create index supplier_attempts_lost on supplier_attempts (supplier_id, opened_at)
  where status = 'quarantined' or supplier_price_minor > cost_minor or supplier_price_currency <> cost_currency;
