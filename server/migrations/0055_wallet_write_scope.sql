-- What a key may do with the wallet beyond reading it: the low-balance threshold, and deposits. Keys that exist do not get it.
alter table api_keys drop constraint api_keys_scopes_check, add constraint api_keys_scopes_check check (
  scopes <@ array['catalog:read', 'orders:read', 'orders:write', 'wallet:read', 'wallet:write', 'webhooks:manage', 'requests:read']);
