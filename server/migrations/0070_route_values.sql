-- What a route buys besides the supplier's id of the product: the face value, where the buyer chooses one, and under which names
-- the supplier takes the input fields. An attempt keeps both as they were when it was opened, because it may be sent again.
alter table supplier_routes
  add column buy_value text,
  add column field_map jsonb,
  add constraint supplier_routes_buy_value check (buy_value ~ '^[0-9]{1,12}([.][0-9]{1,6})?$'),
  add constraint supplier_routes_field_map check (jsonb_typeof(field_map) = 'object');

alter table supplier_attempts
  add column buy_value text,
  add column field_map jsonb;
