-- Why the operator froze a reseller, in words that the reseller reads too.
alter table resellers add column frozen_reason text check (length(frozen_reason) between 1 and 500);
alter table resellers add constraint resellers_frozen check (frozen_reason is null or frozen_at is not null);

-- A movement of money that one person of the staff proposed and another must approve. A proposal expires by its time alone:
-- a row that nobody decided stays `waiting`, and from `expires_at` on it cannot be approved.
create table movement_proposals (
  id text collate "C" primary key check (id like 'prp\_%'),
  reseller_id text collate "C" not null references resellers (id),
  environment text not null check (environment in ('live', 'test')),
  direction text not null check (direction in ('credit', 'debit')),
  amount_minor bigint not null check (amount_minor > 0),
  currency text not null check (currency ~ '^[A-Z]{3}$'),
  note text not null check (length(note) between 1 and 300),
  proposed_by text collate "C" not null references accounts (id),
  proposed_at timestamptz(3) not null,
  expires_at timestamptz(3) not null,
  state text not null default 'waiting' check (state in ('waiting', 'approved', 'rejected', 'withdrawn')),
  decided_by text collate "C" references accounts (id),
  decided_at timestamptz(3),
  -- Why it was rejected.
  reason text check (length(reason) between 1 and 500),
  -- The ledger entry that the approval wrote.
  entry_id text collate "C",
  constraint movement_proposals_entry unique (entry_id),
  constraint movement_proposals_expiry check (expires_at > proposed_at),
  constraint movement_proposals_decided check (
    (state = 'waiting') = (decided_by is null) and (state = 'waiting') = (decided_at is null)
  ),
  constraint movement_proposals_applied check ((state = 'approved') = (entry_id is not null)),
  constraint movement_proposals_in_time check (state <> 'approved' or decided_at < expires_at),
  -- Nobody approves or rejects what they proposed, and nobody withdraws what another person proposed.
  constraint movement_proposals_two_people check (
    state = 'waiting' or (state = 'withdrawn') = (decided_by = proposed_by)
  )
);

create index movement_proposals_waiting on movement_proposals (expires_at, id) where state = 'waiting';
create index movement_proposals_of_reseller on movement_proposals (reseller_id, environment, id);

-- What was proposed never changes, and a decision is final.
create function refuse_proposal_change() returns trigger language plpgsql as $$
begin
  if old.state <> 'waiting'
    or (new.id, new.reseller_id, new.environment, new.direction, new.amount_minor, new.currency, new.note, new.proposed_by,
        new.proposed_at, new.expires_at)
      is distinct from
      (old.id, old.reseller_id, old.environment, old.direction, old.amount_minor, old.currency, old.note, old.proposed_by,
       old.proposed_at, old.expires_at)
  then
    raise exception 'a proposal is decided once and never changed' using errcode = 'restrict_violation';
  end if;
  return new;
end $$;

create trigger movement_proposals_final before update on movement_proposals
  for each row execute function refuse_proposal_change();
create trigger movement_proposals_kept before delete on movement_proposals
  for each row execute function refuse_change();
create trigger movement_proposals_never_emptied before truncate on movement_proposals
  for each statement execute function refuse_change();
