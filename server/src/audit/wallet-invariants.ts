import sql from "sql-template-tag";
import { missingTriggers } from "../db/guards.ts";
import type { Invariant } from "./invariant.ts";

/** Each wallet's balance, entries and hash chain agree. */
export const walletsBalance: Invariant = {
  number: 1,
  name: "each wallet: balance ≥ 0 = sum of entries = last balance; sequence without gaps; hash chain intact",
  count: sql`select count(*) as count from wallets`,
  violations: sql`
    with chained as (
      select e.reseller_id, e.environment, e.sequence, e.amount_minor, e.balance_after_minor, e.hash, e.created_at,
        lag(e.sequence, 1, 0::bigint) over chain as previous_sequence,
        lag(e.balance_after_minor, 1, 0::bigint) over chain as previous_balance,
        lag(e.created_at, 1, 'epoch') over chain as previous_time,
        ledger_hash(coalesce(lag(e.hash) over chain, genesis_hash(e.reseller_id, e.environment)), e) as expected_hash
      from ledger_entries e
      window chain as (partition by e.reseller_id, e.environment order by e.sequence)
    ), totals as (
      select reseller_id, environment, sum(amount_minor) as amount, max(sequence) as sequence, count(*) as entries
      from ledger_entries group by reseller_id, environment
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
    left join totals t on t.reseller_id = w.reseller_id and t.environment = w.environment
    left join ledger_entries e
      on e.reseller_id = w.reseller_id and e.environment = w.environment and e.sequence = w.sequence
    where w.balance_minor < 0
      or w.balance_minor <> coalesce(t.amount, 0)
      or w.sequence <> coalesce(t.sequence, 0)
      or w.sequence <> coalesce(t.entries, 0)
      or w.head_hash <> coalesce(e.hash, genesis_hash(w.reseller_id, w.environment))
      or w.last_entry_at <> coalesce(e.created_at, 'epoch')
      or e.balance_after_minor <> w.balance_minor
      or e.currency <> w.currency
    union all
    select 'entries of ' || t.reseller_id || ' ' || t.environment || ' have no wallet'
    from totals t
    where not exists (select from wallets w where w.reseller_id = t.reseller_id and w.environment = t.environment)`,
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
  count: sql`select count(*) as count from ledger_entries`,
  violations: sql`
    with accounts as (
      select currency, environment, balance_minor as amount from wallets
      union all
      select currency, environment, -amount_minor from ledger_entries
    )
    select 'accounts in ' || currency || ' ' || environment || ' sum to ' || sum(amount) as violation
    from accounts group by currency, environment having sum(amount) <> 0
    union all ${missingTriggers(ENTRY_TRIGGERS)}`,
};
