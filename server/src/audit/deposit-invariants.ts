import sql from "sql-template-tag";
import { missingIndexes, missingTriggers } from "../db/guards.ts";
import type { Invariant } from "./invariant.ts";

const DEPOSIT_TRIGGERS = [
  `create trigger deposits_follow_rules before insert or update on deposits
     for each row execute function check_deposit_change()`,
  `create trigger deposits_kept before delete on deposits
     for each row execute function refuse_change()`,
  `create trigger deposits_never_emptied before truncate on deposits
     for each statement execute function refuse_change()`,
  `create trigger bank_lines_append_only before delete or update on bank_lines
     for each row execute function refuse_change()`,
  `create trigger bank_lines_never_emptied before truncate on bank_lines
     for each statement execute function refuse_change()`,
];

const DEPOSIT_INDEXES = [
  `create unique index ledger_entries_of_deposit on ledger_entries using btree (deposit_id)
     where deposit_id is not null`,
  "create unique index bank_lines_pkey on bank_lines using btree (identity)",
  "create unique index deposits_entry on deposits using btree (entry_id)",
];

/** What arrived at the bank is in the wallet once, and nothing else is. */
export const depositsAreCreditedOnce: Invariant = {
  number: 16,
  name: "a credited deposit has exactly one entry, of its wallet, currency and amount; a bank line counts for one deposit, once",
  count: () => sql`select count(*) as count from deposits`,
  violations: ({ events }) => sql`
    with entries as (
      select deposit_id, count(*) as entries, min(id) as id, min(reseller_id) as reseller_id,
        min(environment) as environment, min(currency) as currency, min(amount_minor) as amount_minor, min(type) as type
      from ledger_entries where deposit_id is not null group by deposit_id
    ), lines as (
      select deposit_id, count(*) as lines, sum(amount_minor) as amount_minor, min(currency) as currency,
        count(distinct currency) as currencies
      from bank_lines group by deposit_id
    ), doubled as (
      select identity from bank_lines group by identity having count(*) > 1
    )
    select 'deposit ' || coalesce(d.id, e.deposit_id) || ': ' ||
      case when d.id is null then 'an entry credits it, but it does not exist'
        when d.status <> 'credited' then 'an entry credits it, but it is ' || d.status
        when e.deposit_id is null then 'credited without an entry'
        when e.entries <> 1 then 'credited by more than one entry'
        else 'its entry is another movement' end as violation
    from deposits d
    full join entries e on e.deposit_id = d.id
    where (d.id is null or d.status = 'credited' or e.deposit_id is not null) and (
      d.id is null or d.status <> 'credited' or e.deposit_id is null or e.entries <> 1
      or e.id <> d.entry_id or e.type <> 'deposit'
      or (e.reseller_id, e.environment, e.currency) <> (d.reseller_id, d.environment, d.currency)
      or e.amount_minor is distinct from d.received_minor
    )
    union all
    select 'deposit ' || coalesce(d.id, l.deposit_id) || ': its bank lines are not what was received'
    from lines l
    left join deposits d on d.id = l.deposit_id
    where d.id is null or d.received_by_hand or l.amount_minor is distinct from d.received_minor::numeric
      or l.currencies <> 1 or l.currency <> d.currency or d.environment <> 'live'
    union all
    select 'deposit ' || d.id || ': received from a bank statement without a line of one'
    from deposits d
    left join lines l on l.deposit_id = d.id
    where d.received_minor is not null and not d.received_by_hand and l.deposit_id is null
    union all
    select 'bank line ' || left(encode(identity, 'hex'), 16) || ' counts more than once' from doubled
    union all
    select 'deposit ' || d.id || ': its reference has wrong check digits'
    from deposits d where not is_creditor_reference(d.reference)
    union all
    select 'proposal ' || p.id || ': approved for a deposit that it did not credit'
    from movement_proposals p
    left join deposits d on d.id = p.deposit_id
    where p.deposit_id is not null and p.state = 'approved' and d.entry_id is distinct from p.entry_id
    union all
    select 'event ' || v.id || ' tells of a deposit that was not credited like this'
    from ${events} v
    left join deposits d on d.id = v.subject_id
    where v.subject_kind = 'deposit' and v.type = 'deposit.credited'
      and (d.entry_id is distinct from v.cause
        or (d.reseller_id, d.environment) is distinct from (v.reseller_id, v.environment))
    union all ${missingTriggers(DEPOSIT_TRIGGERS)}
    union all ${missingIndexes(DEPOSIT_INDEXES)}`,
};
