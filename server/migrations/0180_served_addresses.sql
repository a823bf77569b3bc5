-- Where each face was last served. A command has settings of its own, and prints links that must lead to the running server.
create table served_addresses (
  face text primary key constraint served_addresses_face check (face in ('dashboard', 'console')),
  url text not null,
  served_at timestamptz not null
);
