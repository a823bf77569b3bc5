-- A key that was rolled and the key that replaces it, and who created a key. Keys from before have no known creator.
alter table api_keys
  add column replaces_id text collate "C" references api_keys (id),
  add column creator_kind text check (creator_kind in ('key', 'user', 'staff', 'command', 'system')),
  add column creator_id text collate "C";

-- A key is rolled once: a second roll would leave two successors of which nobody knows.
create unique index api_keys_replaced on api_keys (replaces_id) where replaces_id is not null;
