-- Public keys of resellers. Codes are sealed to the current one when they are delivered. Retired keys stay: codes that were
-- sealed to them are opened with their private keys.
create table encryption_keys (
  reseller_id text collate "C" not null references resellers (id),
  environment text not null check (environment in ('live', 'test')),
  -- The first 128 bits of SHA-256 of the public key, in base64url.
  kid text collate "C" not null check (length(kid) = 22),
  public_key bytea not null check (length(public_key) = 32),
  registered_at timestamptz(3) not null,
  retired_at timestamptz(3),
  primary key (reseller_id, environment, kid)
);

create unique index encryption_keys_current on encryption_keys (reseller_id, environment) where retired_at is null;

-- A code that was sealed to a reseller's key: the key, the encapsulated key and the ciphertext of HPKE.
alter table codes add column kid text collate "C";
alter table codes add column enc bytea;
alter table codes add column ciphertext bytea;

-- A live code is kept in exactly one of the two ways. Not valid, because every code from before satisfies it, and a look at each
-- would lock a large table for long.
alter table codes drop constraint codes_environment;
alter table codes add constraint codes_environment check (
  (environment = 'live' and (sealed is null) <> (ciphertext is null) and supplier_id is not null and test_code is null)
  or (environment = 'test' and sealed is null and supplier_id is null and digest is null and test_code is not null
      and state = 'delivered')
) not valid;
alter table codes add constraint codes_sealed_to_reseller check (
  num_nonnulls(kid, enc, ciphertext) in (0, 3)
  and (ciphertext is null or (state = 'delivered' and type <> 'topup' and length(enc) = 32 and length(ciphertext) > 16))
) not valid;
