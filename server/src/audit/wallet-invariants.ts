import sql from "sql-template-tag";
import { missingTriggers } from "../db/guards.ts";
import type { Invariant } from "./invariant.ts";

/**
 * Each wallet's balance, entries and hash chain agree, from its mark on. A mark that was kept is compared with its entry, also in an
 * audit of everything: a chain that was written again from an older entry on has other hashes.
 */
export const walletsBalance: Invariant = {
  number: 1,
  name: "each wallet: balance ≥ 0 = sum of entries = last balance; sequence without gaps; hash chain intact",
  count: () => sql`select count(*) as count from wallets`,
  violations: ({ entries, marks }) => sql`
    with heads as (
      select w.reseller_id, w.environment, coalesce(m.sequence, 0) as sequence, coalesce(m.balance_minor, 0) as balance,
        coalesce(m.last_entry_at, 'epoch') as at, coalesce(m.hash, genesis_hash(w.reseller_id, w.environment)) as hash
      from wallets w
      left join ${marks} m on m.reseller_id = w.reseller_id and m.environment = w.environment
    ), chained as (
      select e.reseller_id, e.environment, e.sequence, e.amount_minor, e.balance_after_minor, e.hash, e.created_at,
        lag(e.sequence, 1, h.sequence) over chain as previous_sequence,
        lag(e.balance_after_minor, 1, h.balance) over chain as previous_balance,
        lag(e.created_at, 1, h.at) over chain as previous_time,
        ledger_hash(coalesce(lag(e.hash) over chain, h.hash), row(e.*)::ledger_entries) as expected_hash
      from heads h
      join ${entries} e
        on e.reseller_id = h.reseller_id and e.environment = h.environment and e.sequence > h.sequence
      window chain as (partition by e.reseller_id, e.environment order by e.sequence)
    ), totals as (
      select reseller_id, environment, sum(amount_minor) as amount, max(sequence) as sequence, count(*) as entries
      from chained group by reseller_id, environment
    )
    select 'wallet ' || reseller_id || ' ' || environment || ' entry ' || sequence || ': ' ||
      case when hash <> expected_hash then 'hash' when sequence <> previous_sequence + 1 then 'sequence'
        when created_at < previous_time then 'time' else 'balance' end as violation
    from chained
    where hash <> expected_hash
      or sequence <> previous_sequence + 1
      or balance_after_minor <> previous_balance + amount_minor
      or created_at < previous_time
    union all
    select 'wallet ' || w.reseller_id || ' ' || w.environment || ': its head is not its last entry'
    from wallets w
    join heads h on h.reseller_id = w.reseller_id and h.environment = w.environment
    left join totals t on t.reseller_id = w.reseller_id and t.environment = w.environment
    left join ledger_entries e
      on e.reseller_id = w.reseller_id and e.environment = w.environment and e.sequence = w.sequence
    where w.balance_minor < 0
      or w.balance_minor <> h.balance + coalesce(t.amount, 0)
      or w.sequence <> coalesce(t.sequence, h.sequence)
      or w.sequence <> h.sequence + coalesce(t.entries, 0)
      or w.head_hash <> coalesce(e.hash, h.hash)
      or w.last_entry_at <> coalesce(e.created_at, h.at)
      or e.balance_after_minor <> w.balance_minor
      or e.currency <> w.currency
    union all
    select distinct 'entries of ' || e.reseller_id || ' ' || e.environment || ' have no wallet'
    from ${entries} e
    left join wallets w on w.reseller_id = e.reseller_id and w.environment = e.environment
    where w.reseller_id is null
    union all
    select 'wallet ' || m.reseller_id || ' ' || m.environment || ' entry ' || m.sequence || ': not the one that was proved before'
    from audit_marks m
    left join ledger_entries e
      on e.reseller_id = m.reseller_id and e.environment = m.environment and e.sequence = m.sequence
    where (e.hash, e.balance_after_minor, e.created_at) is distinct from (m.hash, m.balance_minor, m.last_entry_at)
    union all
    select 'the marks of proof ' || p.id || ' were changed' from audit_proofs p
    where p.marks_digest <> audit_marks_digest(p.id)`,
};

const ENTRY_TRIGGERS = [
  `create trigger ledger_entries_append_only before delete or update on ledger_entries
     for each row execute function refuse_change()`,
  `create trigger ledger_entries_never_emptied before truncate on ledger_entries
     for each statement execute function refuse_change()`,
];

/**
 * Wallet balances come from their rows and the operator's accounts from the entries, so the two sides can disagree.
 */
export const ledgerBalances: Invariant = {
  number: 2,
  name: "the sum over all ledger accounts is zero for each currency and environment; entries cannot be changed",
  count: ({ entries }) => sql`select count(*) as count from ${entries} e`,
  violations: ({ entries, marks }) => sql`
    with accounts as (
      select currency, environment, balance_minor as amount from wallets
      union all
      select currency, environment, -balance_minor from ${marks} m
      union all
      select e.currency, e.environment, -e.amount_minor
      from ${entries} e
      left join ${marks} m on m.reseller_id = e.reseller_id and m.environment = e.environment
      where e.sequence > coalesce(m.sequence, 0)
    )
    select 'accounts in ' || currency || ' ' || environment || ' sum to ' || sum(amount) as violation
    from accounts group by currency, environment having sum(amount) <> 0
    union all ${missingTriggers(ENTRY_TRIGGERS)}`,
};
