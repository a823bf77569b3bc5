-- People who sign in: a reseller's, and the operator's staff. An account is made by an invitation and can be used once its
-- person has accepted it.
create table accounts (
  id text collate "C" primary key,
  kind text not null check (kind in ('user', 'staff')),
  reseller_id text collate "C" references resellers (id),
  email text collate "C" not null check (length(email) between 3 and 254 and email = lower(email)),
  name text not null default '' check (length(name) <= 200),
  role text not null,
  -- An argon2id hash with its parameters, as a PHC string.
  password_hash text check (password_hash like '$argon2id$%'),
  created_at timestamptz(3) not null,
  accepted_at timestamptz(3),
  removed_at timestamptz(3),
  constraint accounts_kind check (
    case kind when 'user' then id like 'usr\_%' and reseller_id is not null
      else id like 'stf\_%' and reseller_id is null end
  ),
  constraint accounts_role check (
    case kind when 'user' then role in ('owner', 'developer', 'finance', 'support', 'viewer')
      else role in ('admin', 'finance', 'support', 'catalog', 'viewer') end
  ),
  constraint accounts_password check (password_hash is null or accepted_at is not null)
);

-- An email is one account of its kind. An invitation does not count: a reseller that invites an address must not learn
-- that another reseller has a person with the same one.
create unique index accounts_email on accounts (kind, email) where removed_at is null and accepted_at is not null;
create unique index accounts_team_email on accounts (kind, coalesce(reseller_id, ''), email) where removed_at is null;
create index accounts_team on accounts (kind, reseller_id, id) where removed_at is null;

-- Whether the people of a reseller need a second factor.
alter table resellers add column factor_required boolean not null default false;

-- Single-use links, known by the digest of their token.
create table account_links (
  digest bytea primary key check (length(digest) = 32),
  account_id text collate "C" not null references accounts (id),
  purpose text not null check (purpose in ('invite', 'reset', 'enter')),
  created_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  -- When a newer link, or the removal of the account, took its place.
  replaced_at timestamptz(3)
);

create index account_links_open on account_links (account_id, purpose) where used_at is null and replaced_at is null;
create index account_links_expiry on account_links (expires_at);

-- A row is a browser that is signed in. Its digest changes at each step up; the row stays.
create table sessions (
  id text collate "C" primary key check (id like 'ses\_%'),
  digest bytea not null check (length(digest) = 32),
  account_id text collate "C" not null references accounts (id),
  face text not null check (face in ('dashboard', 'console')),
  created_at timestamptz(3) not null,
  last_seen_at timestamptz(3) not null,
  proved_at timestamptz(3) not null,
  address text not null check (length(address) <= 45),
  device text not null check (length(device) <= 80),
  ended_at timestamptz(3),
  constraint sessions_digest unique (digest)
)
-- last_seen_at and digest change often.
with (fillfactor = 80);

create index sessions_account on sessions (account_id, created_at);
create index sessions_age on sessions (last_seen_at);

create table totp_factors (
  account_id text collate "C" primary key references accounts (id),
  sealed bytea not null,
  created_at timestamptz(3) not null,
  confirmed_at timestamptz(3),
  -- The time step of the last code that was accepted: a code works once.
  last_step bigint not null default 0
);

create table recovery_codes (
  account_id text collate "C" not null references accounts (id),
  digest bytea not null check (length(digest) = 32),
  used_at timestamptz(3),
  primary key (account_id, digest)
);

create table passkeys (
  id text collate "C" primary key check (length(id) between 1 and 1400),
  account_id text collate "C" not null references accounts (id),
  public_key bytea not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null default '{}',
  name text not null check (length(name) between 1 and 100),
  created_at timestamptz(3) not null,
  last_used_at timestamptz(3)
);

create index passkeys_account on passkeys (account_id, created_at);

-- What a browser was asked and has not answered yet, known by a digest, each of them answered once.
create table account_challenges (
  digest bytea primary key check (length(digest) = 32),
  purpose text not null check (purpose in ('second_factor', 'passkey_sign_in', 'passkey_add', 'passkey_prove')),
  -- Nobody is known yet when a passkey is to tell who signs in.
  account_id text collate "C" references accounts (id),
  face text not null check (face in ('dashboard', 'console')),
  expires_at timestamptz(3) not null,
  used_at timestamptz(3),
  constraint account_challenges_account check ((account_id is null) = (purpose = 'passkey_sign_in'))
);

create index account_challenges_expiry on account_challenges (expires_at);

-- Failed guesses, by a keyed digest of what they were counted against: an email that was typed is not kept.
create table guess_counts (
  subject bytea primary key check (length(subject) = 32),
  failures integer not null check (failures >= 0),
  last_at timestamptz(3) not null,
  locked_until timestamptz(3)
);

create index guess_counts_age on guess_counts (last_at);

-- A person places orders for their own reseller from the acceptance of the invitation until the removal. Everyone else of the kinds
-- that living_actors is asked about places nothing.
create or replace function living_actors(kinds text[], ids text[], reseller_ids text[], at timestamptz)
returns table (kind text, id text, reseller_id text) language sql stable as $$
  select asked.kind, asked.id, asked.reseller_id
  from unnest(kinds, ids, reseller_ids) as asked (kind, id, reseller_id)
  join accounts a on a.id = asked.id and a.kind = asked.kind and a.reseller_id = asked.reseller_id
  where asked.kind = 'user' and a.accepted_at is not null and a.removed_at is null
$$;
