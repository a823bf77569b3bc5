-- Whether own stock has a code for this route that can be delivered. It is kept up by suppliers/refresh-supply and changes only when
-- stock runs out or comes back. Prices rest on it: the triggers of migration 0075 note each change of a route, this one too. A new route
-- has nothing in stock until somebody looks. It says nothing about a supplier that is called.
alter table supplier_routes add column in_stock boolean not null default false;
