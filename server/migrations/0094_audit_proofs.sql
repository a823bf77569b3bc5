-- What an audit has proved, so that the next one goes on from there (audit/keep-proof.ts). A proof covers everything before
-- settled_before, the beginning of a day (UTC): the last entry of each wallet before it, and the orders that were not settled by then.
create table audit_proofs (
  id bigint generated always as identity primary key,
  -- When its snapshot was taken. The proof with the latest one is continued.
  proved_at timestamptz(3) not null,
  settled_before timestamptz(3) not null,
  -- The proof that it continued. A full one continued none.
  continued_id bigint,
  -- The last broken run that its snapshot saw, or 0. A later one ends the proof.
  broken_run_id bigint not null,
  -- SHA-256 of the invariants that it proved. After an upgrade that changes them the next audit is full.
  invariants_digest bytea not null check (length(invariants_digest) = 32),
  -- Reveals up to this one are settled.
  reveal_id bigint not null,
  -- SHA-256 of its marks, and the result that it belongs to.
  marks_digest bytea not null check (length(marks_digest) = 32),
  run_id bigint
);

-- The last settled entry of each wallet. Its hash covers all entries before it.
create table audit_marks (
  proof_id bigint not null references audit_proofs (id) on delete cascade,
  reseller_id text collate "C" not null,
  environment text not null,
  currency text not null,
  sequence bigint not null check (sequence >= 0),
  balance_minor bigint not null,
  hash bytea not null,
  last_entry_at timestamptz(3) not null,
  primary key (proof_id, reseller_id, environment)
);

-- Orders from before settled_before that can still change without an entry in the ledger, or that changed after it.
create table audit_open_orders (
  proof_id bigint not null references audit_proofs (id) on delete cascade,
  order_id text collate "C" not null,
  primary key (proof_id, order_id)
);

-- One text of all marks of a proof, in a fixed order.
create function audit_marks_digest(proof bigint) returns bytea language sql stable as $$
  select sha256(convert_to(coalesce(string_agg(concat_ws('|', reseller_id, environment, currency, sequence, balance_minor,
    encode(hash, 'hex'), (extract(epoch from last_entry_at) * 1000)::bigint), E'\n' order by reseller_id, environment collate "C"), ''), 'UTF8'))
  from audit_marks where proof_id = proof
$$;

-- From when on the run checked, if it continued a proof.
alter table audit_runs add column since timestamptz(3);
