-- The check digits of a creditor reference (ISO 11649): RFnn and the body, moved to the end, letters as 10 to 35, modulo 97 is 1.
create function is_creditor_reference(reference text) returns boolean
language sql immutable strict parallel safe as $$
  select string_agg(
      case when c ~ '[0-9]' then c else (ascii(c) - 55)::text end, '' order by at
    )::numeric % 97 = 1
  from unnest(string_to_array(substr(reference, 5) || left(reference, 4), null)) with ordinality as given (c, at)
$$;

-- Money that a reseller said it will send: requested, then received and credited to its wallet once, or rejected.
create table deposits (
  id text collate "C" primary key check (id like 'dep\_%'),
  reseller_id text collate "C" not null,
  environment text not null check (environment in ('live', 'test')),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  amount_minor bigint not null check (amount_minor between 1 and 9007199254740991),
  -- The letter after the check digits says which environment it is: a payment for the sandbox is recognised in a bank file.
  reference text collate "C" not null check (reference ~ '^RF[0-9]{2}[DT][0-9A-HJKMNP-TV-Z]{11}$'),
  note text check (length(note) between 1 and 500),
  idempotency_key text collate "C" check (length(idempotency_key) between 1 and 255),
  actor_kind text not null check (actor_kind in ('key', 'user', 'staff', 'command', 'system')),
  actor_id text collate "C" not null,
  created_at timestamptz(3) not null,
  status text not null default 'requested' check (status in ('requested', 'received', 'credited', 'rejected')),
  -- What arrived. It can differ from what was requested, and it is what is credited.
  received_minor bigint check (received_minor between 1 and 9007199254740991),
  -- A person said so. Otherwise it is the sum of its bank lines.
  received_by_hand boolean not null default false,
  received_at timestamptz(3),
  credited_at timestamptz(3),
  -- The ledger entry of the credit.
  entry_id text collate "C",
  rejected_at timestamptz(3),
  -- Why it was rejected, in words that the reseller reads too.
  reason text check (length(reason) between 1 and 500),
  foreign key (reseller_id, environment) references wallets (reseller_id, environment),
  constraint deposits_reference unique (reference),
  constraint deposits_entry unique (entry_id),
  constraint deposits_once_per_key unique (reseller_id, environment, idempotency_key),
  constraint deposits_checked check (is_creditor_reference(reference)),
  constraint deposits_marked check ((environment = 'test') = (substr(reference, 5, 1) = 'T')),
  constraint deposits_received check (
    (received_minor is null) = (received_at is null)
    and (status <> 'requested' or received_minor is null)
    and (status not in ('received', 'credited') or received_minor is not null)
    and (received_minor is not null or not received_by_hand)
  ),
  constraint deposits_credited check (
    (status = 'credited') = (entry_id is not null) and (status = 'credited') = (credited_at is not null)
  ),
  constraint deposits_rejected check (
    (status = 'rejected') = (rejected_at is not null) and (status = 'rejected') = (reason is not null)
  )
);

create index deposits_of_tenant on deposits (reseller_id, environment, id);
create index deposits_by_status on deposits (environment, status, id);
create index deposits_of_environment on deposits (environment, id);

-- What was requested never changes, the status moves along requested, received, credited or rejected, and a credit has its entry.
create function check_deposit_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    if new.status <> 'requested' then
      raise exception 'a deposit starts as requested' using errcode = 'restrict_violation';
    end if;
    return new;
  end if;
  if (new.id, new.reseller_id, new.environment, new.currency, new.amount_minor, new.reference, new.note, new.idempotency_key,
      new.actor_kind, new.actor_id, new.created_at)
    is distinct from
    (old.id, old.reseller_id, old.environment, old.currency, old.amount_minor, old.reference, old.note, old.idempotency_key,
     old.actor_kind, old.actor_id, old.created_at)
  then
    raise exception 'what was requested as a deposit never changes' using errcode = 'restrict_violation';
  end if;
  if (old.status, new.status) not in (
    ('requested', 'received'), ('requested', 'rejected'), ('received', 'received'), ('received', 'credited'),
    ('received', 'rejected')
  ) then
    raise exception 'a deposit cannot move from % to %', old.status, new.status using errcode = 'restrict_violation';
  end if;
  if old.status = 'received' and new.status <> 'received'
    and (new.received_minor, new.received_at, new.received_by_hand)
      is distinct from (old.received_minor, old.received_at, old.received_by_hand)
  then
    raise exception 'what was received does not change with the end of a deposit' using errcode = 'restrict_violation';
  end if;
  if new.status = 'credited' and not exists (
    select from ledger_entries e
    where e.id = new.entry_id and e.type <> 'order' and e.type = 'deposit' and e.deposit_id = new.id
      and e.reseller_id = new.reseller_id and e.environment = new.environment and e.currency = new.currency
      and e.amount_minor = new.received_minor
  ) then
    raise exception 'a credited deposit has its own ledger entry' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger deposits_follow_rules before insert or update on deposits
  for each row execute function check_deposit_change();
create trigger deposits_kept before delete on deposits
  for each row execute function refuse_change();
create trigger deposits_never_emptied before truncate on deposits
  for each statement execute function refuse_change();

-- The deposit that an entry credits. The unique index is in migration 0061, because the table is large.
alter table ledger_entries add column deposit_id text collate "C";
alter table ledger_entries
  add constraint ledger_entries_deposit check (deposit_id is null or type = 'deposit') not valid;

-- A line of a bank statement that was counted for a deposit, once: the identity is a digest of the account and the bank's
-- reference of the line, or of all that it says with its number among equal lines of one day.
create table bank_lines (
  identity bytea primary key check (length(identity) = 32),
  deposit_id text collate "C" not null references deposits (id),
  account text collate "C" not null check (length(account) <= 64),
  entry_reference text collate "C" check (length(entry_reference) between 1 and 128),
  booked_on date not null,
  amount_minor bigint not null check (amount_minor between 1 and 9007199254740991),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  payer text check (length(payer) between 1 and 300),
  remittance text not null check (length(remittance) <= 1000),
  recorded_at timestamptz(3) not null,
  actor_kind text not null check (actor_kind in ('staff', 'command')),
  actor_id text collate "C" not null
);

create index bank_lines_of_deposit on bank_lines (deposit_id);

create trigger bank_lines_append_only before delete or update on bank_lines
  for each row execute function refuse_change();
create trigger bank_lines_never_emptied before truncate on bank_lines
  for each statement execute function refuse_change();

-- A credit of a deposit can take two people, like any other movement.
alter table movement_proposals add column deposit_id text collate "C" references deposits (id);
alter table movement_proposals
  add constraint movement_proposals_deposit check (deposit_id is null or direction = 'credit');
create index movement_proposals_of_deposit on movement_proposals (deposit_id) where deposit_id is not null;

create or replace function refuse_proposal_change() returns trigger language plpgsql as $$
begin
  if old.state <> 'waiting'
    or (new.id, new.reseller_id, new.environment, new.direction, new.amount_minor, new.currency, new.note, new.proposed_by,
        new.proposed_at, new.expires_at, new.deposit_id)
      is distinct from
      (old.id, old.reseller_id, old.environment, old.direction, old.amount_minor, old.currency, old.note, old.proposed_by,
       old.proposed_at, old.expires_at, old.deposit_id)
  then
    raise exception 'a proposal is decided once and never changed' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

-- Who is told by mail that a deposit was credited or rejected.
alter table notice_addresses drop constraint notice_addresses_kind_check, add constraint notice_addresses_kind_check
  check (kind in ('wallet_low', 'webhook_failing', 'webhook_disabled', 'deposit'));
